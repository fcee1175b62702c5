import { expect, test } from "vitest";

import { firstDay, partsOf } from "./release";

test("a quarter begins with its first month", () => {
  expect(firstDay("quarter", { year: 2006, part: 3 })).toBe("2006-07-01");
});

test("a date is converted back to its month", () => {
  expect(partsOf({ date: "2006-09-01", precision: "month" })).toEqual({ year: 2006, part: 9 });
  expect(partsOf({ date: "2006-09-01", precision: "quarter" })).toEqual({ year: 2006, part: 3 });
});

test("an invalid month is rejected", () => {
  expect(firstDay("year", { year: Number.NaN, part: 1 })).toBeNull();
});
