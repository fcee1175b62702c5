import { defineConfig } from "@hey-api/openapi-ts";

// What the pages know of the service: written by `playdock openapi`, before every build and every check.
export default defineConfig({
  input: "openapi.json",
  output: "src/api/generated",
  parser: { filters: { operations: { exclude: ["/^HEAD /"] } } },
  plugins: [
    "@hey-api/client-fetch",
    { name: "@hey-api/sdk", auth: false },
    { name: "@tanstack/vue-query", queryKeys: true, infiniteQueryOptions: true },
  ],
});
