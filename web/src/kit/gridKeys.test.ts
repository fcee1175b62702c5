import { expect, test } from "vitest";

import { rowAfterKey } from "./gridKeys";

test("j and k work anywhere on the page", () => {
  expect(rowAfterKey("j", { from: -1, count: 3, within: false })).toBe(0);
  expect(rowAfterKey("k", { from: 2, count: 3, within: false })).toBe(1);
});

test("arrow keys work only within the table, so that the page still scrolls", () => {
  expect(rowAfterKey("ArrowDown", { from: 0, count: 3, within: false })).toBeNull();
  expect(rowAfterKey("ArrowDown", { from: 0, count: 3, within: true })).toBe(1);
});

test("no key moves past an end", () => {
  expect(rowAfterKey("j", { from: 2, count: 3, within: true })).toBe(2);
  expect(rowAfterKey("PageUp", { from: 1, count: 3, within: true })).toBe(0);
});

test("an empty table has no rows to move to", () => {
  expect(rowAfterKey("j", { from: -1, count: 0, within: true })).toBeNull();
});
