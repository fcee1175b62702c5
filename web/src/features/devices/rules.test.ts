import { expect, test } from "vitest";

import { shownCode } from "./rules";

test("a code is formatted in two halves, however it was typed", () => {
  for (const typed of ["wdjbmjht", "WDJB-MJHT", " wdjb mjht\n", "W.D.J.B.M.J.H.T"])
    expect(shownCode(typed)).toBe("WDJB-MJHT");
});

test("an incomplete code has no dash", () => {
  expect(shownCode("wdj")).toBe("WDJ");
  expect(shownCode("")).toBe("");
});
