import { beforeEach, expect, it } from "vitest";

import { afterFailedLoad, afterLoad } from "./loading";

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
