import { expect, test } from "vitest";

import { moved, placeAfter } from "./ordering";

test("a thing goes to another place and the others close up", () => {
  expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
});

test("arrows move by one, and not over the ends", () => {
  expect(placeAfter("ArrowDown", 0, 3)).toBe(1);
  expect(placeAfter("ArrowUp", 0, 3)).toBeNull();
  expect(placeAfter("End", 0, 3)).toBe(2);
});

test("other keys move nothing", () => {
  expect(placeAfter("a", 1, 3)).toBeNull();
});
