import { expect, test } from "vitest";

import { isSpare } from "./rules";

test("the last way to sign in stays", () => {
  expect(isSpare("Simple", ["Simple"], ["OpenID", "Simple"])).toBe(false);
});

test("one of two ways can go", () => {
  expect(isSpare("OpenID", ["OpenID", "Simple"], ["OpenID", "Simple"])).toBe(true);
});

test("a way that is switched off does not count as another", () => {
  expect(isSpare("OpenID", ["OpenID", "Simple"], ["OpenID"])).toBe(false);
  expect(isSpare("Simple", ["OpenID", "Simple"], ["OpenID"])).toBe(true);
});
