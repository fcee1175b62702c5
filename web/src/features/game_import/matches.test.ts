import { expect, test } from "vitest";

import { keyOf, searchFor } from "./matches";

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
