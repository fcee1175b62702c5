import { expect, test } from "vitest";

import { moveItem, indexAfterKey } from "./reordering";

test("an item is moved and the others close up", () => {
  expect(moveItem(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
  expect(moveItem(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
});

test("arrow keys move by one, and not past the ends", () => {
  expect(indexAfterKey("ArrowDown", 0, 3)).toBe(1);
  expect(indexAfterKey("ArrowUp", 0, 3)).toBeNull();
  expect(indexAfterKey("End", 0, 3)).toBe(2);
});

test("other keys move nothing", () => {
  expect(indexAfterKey("a", 1, 3)).toBeNull();
});
