import { expect, test } from "vitest";

import { isDropCode, shownCode } from "./rules";

test("a code is formatted in two halves, however it was typed", () => {
  for (const typed of ["wdjbmjht", "WDJB-MJHT", " wdjb mjht\n", "W.D.J.B.M.J.H.T"])
    expect(shownCode(typed)).toBe("WDJB-MJHT");
});

test("an incomplete code has no dash", () => {
  expect(shownCode("wdj")).toBe("WDJ");
  expect(shownCode("")).toBe("");
});

test("the codes of Drop clients are told from others", () => {
  expect(["0A1B2C3", " abcdef0 "].map(isDropCode)).toEqual([true, true]);
  expect(["WDJB-MJHT", "0A1B2C", "0A1B2C3D", ""].map(isDropCode)).toEqual([false, false, false, false]);
});
