import { expect, test } from "vitest";

import { stepOf } from "./sweeping";

test("j and k go from anywhere on the page", () => {
  expect(stepOf("j", { from: -1, count: 3, within: false })).toBe(0);
  expect(stepOf("k", { from: 2, count: 3, within: false })).toBe(1);
});

test("arrows go only within the table, so that the page still scrolls", () => {
  expect(stepOf("ArrowDown", { from: 0, count: 3, within: false })).toBeNull();
  expect(stepOf("ArrowDown", { from: 0, count: 3, within: true })).toBe(1);
});

test("no step leads over an end", () => {
  expect(stepOf("j", { from: 2, count: 3, within: true })).toBe(2);
  expect(stepOf("PageUp", { from: 1, count: 3, within: true })).toBe(0);
});

test("nothing is swept where there is nothing", () => {
  expect(stepOf("j", { from: -1, count: 0, within: true })).toBeNull();
});
