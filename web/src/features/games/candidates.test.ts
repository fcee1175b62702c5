import { expect, test } from "vitest";

import { isFound } from "./candidates";

test("something is found if nearly all of its files are in one place", () => {
  expect(isFound([])).toBe(false);
  expect(isFound([{ share: 0.75 }, { share: 0.5 }])).toBe(false);
  expect(isFound([{ share: 0.5 }, { share: 0.99 }])).toBe(true);
});
