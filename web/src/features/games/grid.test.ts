import { describe, expect, it } from "vitest";

import { columnsOf, rowHeight, stepOf } from "./grid";

describe("a grid of covers", () => {
  it("has two columns on the narrowest phone", () => {
    expect(columnsOf(320)).toBe(2);
    expect(columnsOf(0)).toBe(2);
  });

  it("fills the width with covers of at least 152 pixels", () => {
    expect(columnsOf(152 * 3 + 16 * 2)).toBe(3);
    expect(columnsOf(152 * 3 + 16 * 2 - 1)).toBe(2);
  });

  it("has rows as high as its covers and the gap", () => {
    expect(rowHeight(216, 2)).toBe(150 + 16);
  });

  it("goes up and down by a row with the arrow keys", () => {
    expect(stepOf("ArrowDown", 7)).toBe(7);
    expect(stepOf("ArrowLeft", 7)).toBe(-1);
    expect(stepOf("Enter", 7)).toBe(0);
  });
});
