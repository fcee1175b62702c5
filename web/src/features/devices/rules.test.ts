import { expect, test } from "vitest";

import { shownCode } from "./rules";

test("a code is shown in two halves, however it was typed", () => {
  for (const typed of ["wdjbmjht", "WDJB-MJHT", " wdjb mjht\n", "W.D.J.B.M.J.H.T"])
    expect(shownCode(typed)).toBe("WDJB-MJHT");
});

test("a code that is just being typed has no dash yet", () => {
  expect(shownCode("wdj")).toBe("WDJ");
  expect(shownCode("")).toBe("");
});
