import { describe, expect, it } from "vitest";

import { releasedText } from "./released";

const quarterOf = (quarter: number, year: number) => `Q${quarter} ${year}`;

describe("releasedText", () => {
  it("is only as precise as the date", () => {
    const told = (precision: "day" | "month" | "quarter" | "year") =>
      releasedText({ date: "2004-10-01", precision }, "en-GB", quarterOf);
    expect(told("day")).toBe("1 October 2004");
    expect(told("month")).toBe("October 2004");
    expect(told("quarter")).toBe("Q4 2004");
    expect(told("year")).toBe("2004");
  });

  it("is the same day in every time zone", () => {
    expect(releasedText({ date: "2004-01-01", precision: "year" }, "de", quarterOf)).toBe("2004");
  });
});
