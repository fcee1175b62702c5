import { expect, it } from "vitest";

import { detailsLine, period, readableOperation } from "./rules";

it("writes details in one line", () => {
  const texts = {
    field: (name: string) => name.toUpperCase(),
    answer: (value: boolean | null) => (value ? "yes" : "no"),
  };
  expect(detailsLine({ id: "1", enabled: false, email: "…", rows: 2, base: null }, texts)).toBe(
    "ENABLED: no, EMAIL: …, ROWS: 2, BASE: no",
  );
  expect(detailsLine({ into: "Action", intoId: "7" }, texts)).toBe("INTO: Action");
  expect(detailsLine({}, texts)).toBe("");
});

it("reads operations without a text", () => {
  expect(readableOperation("change_user")).toBe("Change user");
});

it("turns days into the times at which they begin and end", () => {
  const whole = period("2026-11-20", "2026-11-30");
  expect(new Date(whole.since ?? "").getDate()).toBe(20);
  expect(new Date(whole.until ?? "")).toEqual(new Date(2026, 11, 1));
  expect(period("", "2026-11-30").since).toBeUndefined();
  expect(period("yesterday", "2026-13-01")).toEqual({});
});
