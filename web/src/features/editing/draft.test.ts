import { expect, test } from "vitest";

import { backOf, changesOf, type Values } from "./draft";

const BEFORE: Values = {
  name: "Doom",
  shortDescription: "",
  description: "",
  released: { date: "1993-12-10", precision: "day" },
  developers: ["id"],
  publishers: [],
  tags: [],
  ageRatings: [],
  websites: [],
  featured: false,
};

test("only different values are changes", () => {
  const after = { name: "DOOM", developers: ["id"], released: { date: "1993-12-10", precision: "day" } as const };
  expect(changesOf(BEFORE, after)).toEqual({ name: "DOOM" });
});

test("a different order is a change", () => {
  expect(changesOf({ ...BEFORE, developers: ["a", "b"] }, { developers: ["b", "a"] })).toEqual({
    developers: ["b", "a"],
  });
});

test("a change can be reverted", () => {
  expect(backOf(BEFORE, { released: null, featured: true })).toEqual({ released: BEFORE.released, featured: false });
});
