import type { Problem } from "./generated";
import { client } from "./generated/client.gen";

/** The server did not respond: it is down, or the network is. */
export class NetworkError extends Error {
  override name = "Unreachable";
}

/** Return whether a thrown value is a problem document of the service (RFC 9457). */
export function isProblem(error: unknown): error is Problem {
  return typeof error === "object" && error !== null && "type" in error && "detail" in error;
}

/** The HTTP status of a problem; 0 for anything else. */
export function statusOf(error: unknown): number {
  return isProblem(error) ? error.status : 0;
}

client.setConfig({ baseUrl: "", throwOnError: true, responseStyle: "fields" });

/** The value of Retry-After in seconds; 0 without one. */
export function retryAfterOf(problem: Problem & { retryAfter?: number }): number {
  return problem.retryAfter ?? 0;
}

// Without a response there is only the network error; with one, the problem document.
client.interceptors.error.use((error, response) => {
  if (response && isProblem(error)) return { ...error, retryAfter: Number(response.headers.get("Retry-After")) || 0 };
  if (error instanceof DOMException && error.name === "AbortError") return error;
  return new NetworkError();
});
