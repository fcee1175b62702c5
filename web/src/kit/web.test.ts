import { expect, test } from "vitest";

import { isWeb } from "./web";

test("pages of the web become links", () => {
  expect(isWeb("https://studio.example/games")).toBe(true);
  expect(isWeb("HTTP://studio.example")).toBe(true);
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
  expect(isWeb(address)).toBe(false);
});
