import { expect, test } from "vitest";

import { folded, mentions } from "./words";

test("accents, capitals and spare spaces make no difference", () => {
  expect(folded("  Ōkami\tÉTOILE  Straße ")).toBe("okami etoile strasse");
});

test("words may be typed in any order and in part", () => {
  expect(mentions("The Legend of Zelda", "zel leg")).toBe(true);
  expect(mentions("The Legend of Zelda", "zel mario")).toBe(false);
});

test("nothing typed is in every text", () => {
  expect(mentions("Anything", "  ")).toBe(true);
});
