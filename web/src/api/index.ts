/** The API client: generated calls, and the errors they throw. */
export * from "./generated";
export * from "./generated/@tanstack/vue-query.gen";
export { NetworkError, RequestCancelled, isProblem, onRecentSignInRequired, statusOf, retryAfterOf } from "./errors";
