import { expect, it } from "vitest";

import { secondsLeft, speedsOf } from "./pace";

const steady = [0, 10, 20, 30, 40].map((progress, second) => ({ at: second * 1000, progress }));

it("tells how fast a task went from look to look", () => {
  expect(speedsOf(steady)).toEqual([10, 10, 10, 10]);
});

it("tells no speed of two looks at the same moment", () => {
  expect(speedsOf([steady[0], steady[0]].filter((mark) => mark !== undefined))).toEqual([0]);
});

it("tells how long it takes still", () => {
  expect(secondsLeft(steady)).toBe(6);
});

it("does not guess from a few looks, nor while nothing moves", () => {
  expect(secondsLeft(steady.slice(0, 3))).toBeNull();
  expect(secondsLeft(steady.map(({ at }) => ({ at, progress: 7 })))).toBeNull();
});
