import { expect, test } from "vitest";

import { normalizeText, matchesWords } from "./textSearch";

test("accents, case and extra spaces are ignored", () => {
  expect(normalizeText("  Ōkami\tÉTOILE  Straße ")).toBe("okami etoile strasse");
});

test("words can be partial and in any order", () => {
  expect(matchesWords("The Legend of Zelda", "zel leg")).toBe(true);
  expect(matchesWords("The Legend of Zelda", "zel mario")).toBe(false);
});

test("an empty search matches every text", () => {
  expect(matchesWords("Anything", "  ")).toBe(true);
});
