import type { Problem } from "./generated";
import { client } from "./generated/client.gen";

/** No answer came: the service is down, or the network is. */
export class Unreachable extends Error {
  override name = "Unreachable";
}

/** Tell whether something thrown is a problem document of the service (RFC 9457). */
export function isProblem(error: unknown): error is Problem {
  return typeof error === "object" && error !== null && "type" in error && "detail" in error;
}

/** The HTTP status of a problem; 0 for anything else. */
export function statusOf(error: unknown): number {
  return isProblem(error) ? error.status : 0;
}

client.setConfig({ baseUrl: "", throwOnError: true, responseStyle: "fields" });

/** How many seconds the service wants to be left alone; 0 if it does not say. */
export function waitOf(problem: Problem & { retryAfter?: number }): number {
  return problem.retryAfter ?? 0;
}

// Without an answer there is nothing to read but that; with one, it is the problem document.
client.interceptors.error.use((error, response) => {
  if (response && isProblem(error)) return { ...error, retryAfter: Number(response.headers.get("Retry-After")) || 0 };
  if (error instanceof DOMException && error.name === "AbortError") return error;
  return new Unreachable();
});
