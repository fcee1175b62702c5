/** The service as the pages know it: generated calls, and what they fail with. */
export * from "./generated";
export * from "./generated/@tanstack/vue-query.gen";
export { Unreachable, isProblem, statusOf, waitOf } from "./failures";
