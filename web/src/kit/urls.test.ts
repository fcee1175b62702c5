import { expect, test } from "vitest";

import { isHttpUrl } from "./urls";

test("addresses of web pages become links", () => {
  expect(isHttpUrl("https://studio.example/games")).toBe(true);
  expect(isHttpUrl("HTTP://studio.example")).toBe(true);
});

test.each([
  "javascript:alert(1)",
  " javascript:alert(1)",
  "data:text/html,x",
  "//studio.example",
  "https://",
  "studio",
  "",
])("%s does not", (address) => {
  expect(isHttpUrl(address)).toBe(false);
});
