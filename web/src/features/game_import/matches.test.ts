import { expect, test } from "vitest";

import { keyOf, mergedMatches, searchFor } from "./matches";

test.each([
  ["Doom", "Doom"],
  ["Doom (1993)", "Doom"],
  ["Brütal Legend (steam-225260)", "Brütal Legend"],
  ["Half.Life.v1.0-GOG", "Half Life"],
  ["half_life_2", "half life 2"],
  ["Portal 2", "Portal 2"],
  ["100% Orange Juice", "100% Orange Juice"],
  ["Teeworlds-0.7.5.zip", "Teeworlds"],
  ["[GOG]", "[GOG]"],
  ["1.0", "1 0"],
])("%s is searched as %s", (folder, wanted) => {
  expect(searchFor(folder)).toBe(wanted);
});

test("the same id at two providers means two games", () => {
  expect(keyOf({ sourceId: "Steam", id: "1" })).not.toBe(keyOf({ sourceId: "IGDB", id: "1" }));
});

test("one game at several providers is one match, with what each of them knows", () => {
  const result = { id: "1", name: "Hades", icon: "", description: "", fuzzy: 1 };
  const merged = mergedMatches([
    { ...result, sourceId: "Steam", sourceName: "Steam", year: 0, group: 0 },
    { ...result, sourceId: "IGDB", sourceName: "IGDB", year: 2020, icon: "cover", group: 0 },
    { ...result, sourceId: "IGDB", sourceName: "IGDB", id: "2", year: 1999, group: 1 },
  ]);
  expect(merged.map(({ sourceId, sourceName, year, icon }) => [sourceId, sourceName, year, icon])).toEqual([
    ["Steam", "Steam · IGDB", 2020, "cover"],
    ["IGDB", "IGDB", 1999, ""],
  ]);
});
