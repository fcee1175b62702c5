import { BASE_PATH } from "./basePath";
import type { Problem } from "./generated";
import { client } from "./generated/client.gen";

/** The server did not respond: it is down, or the network is. */
export class NetworkError extends Error {
  override name = "Unreachable";
}

/** The user cancelled a request by not confirming the sign-in; there is nothing to report. */
export class RequestCancelled extends Error {
  override name = "RequestCancelled";
}

/** Return whether a thrown value is a problem document of the service (RFC 9457). */
export function isProblem(error: unknown): error is Problem {
  return typeof error === "object" && error !== null && "type" in error && "detail" in error;
}

/** The HTTP status of a problem; 0 for anything else. */
export function statusOf(error: unknown): number {
  return isProblem(error) ? error.status : 0;
}

let confirmSignIn = (): Promise<boolean> => Promise.resolve(false);

/** Set what asks the user to confirm the sign-in, and resolves to whether that happened. */
export function onRecentSignInRequired(ask: () => Promise<boolean>): void {
  confirmSignIn = ask;
}

/**
 * Send a request. If the service requires a recent sign-in, ask for it and send the request again; throw
 * RequestCancelled if the user does not confirm it.
 */
export async function fetchWithRecentSignIn(request: Request): Promise<Response> {
  if (request.method === "GET" && !request.url.endsWith("/session/confirm")) return fetch(request);
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 403) return response;
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const isRequired = isProblem(problem) && problem.type === "recent-sign-in-required";
  if (!isRequired) return response;
  if (!(await confirmSignIn())) throw new RequestCancelled();
  return fetch(again);
}

client.setConfig({
  baseUrl: BASE_PATH,
  throwOnError: true,
  responseStyle: "fields",
  fetch: fetchWithRecentSignIn as typeof fetch,
});

/** The value of Retry-After in seconds; 0 without one. */
export function retryAfterOf(problem: Problem & { retryAfter?: number }): number {
  return problem.retryAfter ?? 0;
}

// Without a response there is only the network error; with one, the problem document.
client.interceptors.error.use((error, response) => {
  if (response && isProblem(error)) return { ...error, retryAfter: Number(response.headers.get("Retry-After")) || 0 };
  if (error instanceof RequestCancelled || (error instanceof DOMException && error.name === "AbortError")) return error;
  return new NetworkError();
});
