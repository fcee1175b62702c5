import { expect, test } from "vitest";

import { type Box, type Direction, nearest } from "./spatial";

function box(left: number, top: number, width: number, height: number): Box {
  return { left, top, right: left + width, bottom: top + height };
}

// A page: a button, below it a row of three covers, below that another row, shifted, and a link at the far right.
const PAGE = {
  button: box(20, 100, 200, 40),
  first: box(20, 200, 100, 150),
  second: box(130, 200, 100, 150),
  third: box(240, 200, 100, 150),
  left: box(60, 400, 100, 150),
  right: box(200, 400, 100, 150),
  link: box(900, 160, 80, 20),
};
type Name = keyof typeof PAGE;

test.each<[Name, Direction, Name | null]>([
  ["first", "right", "second"],
  ["third", "left", "second"],
  ["first", "left", null],
  ["third", "right", null],
  ["button", "right", null],
  ["button", "up", null],
  ["button", "down", "first"],
  ["second", "up", "button"],
  ["third", "up", "button"],
  ["second", "down", "left"],
  ["third", "down", "right"],
  ["right", "up", "third"],
  ["right", "down", null],
  ["link", "down", "third"],
  ["link", "left", null],
])("from %s %s leads to %s", (from, direction, expected) => {
  const names = Object.keys(PAGE) as Name[];
  expect(names[nearest(direction, PAGE[from], Object.values(PAGE))] ?? null).toBe(expected);
});

test("every box of a grid is reached, and back", () => {
  const grid = Array.from({ length: 12 }, (_, index) => box((index % 4) * 110, Math.floor(index / 4) * 160, 100, 150));
  for (const [index, from] of grid.entries()) {
    expect(nearest("right", from, grid)).toBe(index % 4 < 3 ? index + 1 : -1);
    expect(nearest("left", from, grid)).toBe(index % 4 > 0 ? index - 1 : -1);
    expect(nearest("down", from, grid)).toBe(index < 8 ? index + 4 : -1);
    expect(nearest("up", from, grid)).toBe(index >= 4 ? index - 4 : -1);
  }
});
