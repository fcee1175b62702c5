import { expect, it } from "vitest";

import { secondsLeft, speedsOf } from "./speed";

const steady = [0, 10, 20, 30, 40].map((progress, second) => ({ at: second * 1000, progress }));

it("computes the speed between samples", () => {
  expect(speedsOf(steady)).toEqual([10, 10, 10, 10]);
});

it("ignores samples of the same moment", () => {
  expect(speedsOf([steady[0], steady[0]].filter((mark) => mark !== undefined))).toEqual([0]);
});

it("estimates the remaining time", () => {
  expect(secondsLeft(steady)).toBe(6);
});

it("gives no estimate from few samples or without progress", () => {
  expect(secondsLeft(steady.slice(0, 3))).toBeNull();
  expect(secondsLeft(steady.map(({ at }) => ({ at, progress: 7 })))).toBeNull();
});
