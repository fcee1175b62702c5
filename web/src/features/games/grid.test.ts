import { describe, expect, it } from "vitest";

import { columnsOf, rowHeight, stepOf } from "./grid";

describe("the cover grid", () => {
  it("has two columns on the narrowest phone", () => {
    expect(columnsOf(320)).toBe(2);
    expect(columnsOf(0)).toBe(2);
  });

  it("fits as many covers of at least 152 pixels as possible", () => {
    expect(columnsOf(152 * 3 + 16 * 2)).toBe(3);
    expect(columnsOf(152 * 3 + 16 * 2 - 1)).toBe(2);
  });

  it("has rows of the covers' height plus the gap", () => {
    expect(rowHeight(216, 2)).toBe(150 + 16);
  });

  it("moves by one row with the vertical arrow keys", () => {
    expect(stepOf("ArrowDown", 7)).toBe(7);
    expect(stepOf("ArrowLeft", 7)).toBe(-1);
    expect(stepOf("Enter", 7)).toBe(0);
  });
});
