import { beforeEach, expect, it } from "vitest";

import { afterFailedLoad, afterLoad, isLoadFailure } from "./loading";

beforeEach(() => {
  sessionStorage.clear();
});

it("loads the whole page again once, then shows the failure", () => {
  expect(afterFailedLoad("/store", { isReachable: true })).toBe("reload");
  expect(afterFailedLoad("/store", { isReachable: true })).toBe("show");
  afterLoad();
  expect(afterFailedLoad("/store", { isReachable: true })).toBe("reload");
});

it("shows the failure at once while the server cannot be reached", () => {
  expect(afterFailedLoad("/store", { isReachable: false })).toBe("show");
  expect(afterFailedLoad("/store", { isReachable: true })).toBe("reload");
});

it.each([
  [new TypeError("Failed to fetch dynamically imported module: https://games.example/assets/Dialog-1.js"), true],
  [new TypeError("error loading dynamically imported module: https://games.example/assets/Dialog-1.js"), true],
  [new TypeError("Importing a module script failed."), true],
  [new Error("Unable to preload CSS for /assets/Dialog-1.css"), true],
  [new TypeError("x is undefined"), false],
  ["Importing a module script failed.", false],
])("%o is a failed load: %s", (error, expected) => {
  expect(isLoadFailure(error)).toBe(expected);
});
