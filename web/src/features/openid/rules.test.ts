import { expect, test } from "vitest";

import { isSpare } from "./rules";

test("the last sign-in method cannot be removed", () => {
  expect(isSpare("Simple", ["Simple"], ["OpenID", "Simple"])).toBe(false);
});

test("one of two methods can be removed", () => {
  expect(isSpare("OpenID", ["OpenID", "Simple"], ["OpenID", "Simple"])).toBe(true);
});

test("a disabled method does not count", () => {
  expect(isSpare("OpenID", ["OpenID", "Simple"], ["OpenID"])).toBe(false);
  expect(isSpare("Simple", ["OpenID", "Simple"], ["OpenID"])).toBe(true);
});
