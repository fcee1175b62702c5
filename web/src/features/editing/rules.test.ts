import { expect, test } from "vitest";

import type { LibraryOverview, StatisticsAnswer } from "@/api";

import { chosenOf, rowsOf } from "./rules";

const game = (id: string, mName: string, created: string, featured = false) => ({
  id,
  mName,
  created,
  featured,
  mCoverObjectId: "",
  libraryId: "lib",
});
const overview = {
  games: [
    { game: game("1", "Ökolopoly", "2026-01-01"), status: { noVersions: true, unimportedVersions: ["1.0", "2.0"] } },
    { game: game("2", "Doom", "2026-02-01", true), status: "offline" },
  ],
} as unknown as LibraryOverview;
const statistics = { storage: [{ games: [{ id: "2", size: 5, versions: 3 }] }] } as unknown as StatisticsAnswer;
const rows = rowsOf({ overview, libraries: [], statistics, damage: [] });
const wanted = { words: "", state: "", library: "", sort: "name" } as const;

test("a game says in which states it is", () => {
  expect([...(rows[0]?.states ?? [])]).toEqual(["noVersions", "unimported"]);
  expect([...(rows[1]?.states ?? [])]).toEqual(["featured", "offline"]);
});

test("sizes are unknown until they are told", () => {
  expect(rowsOf({ overview, libraries: [], statistics: undefined, damage: [] })[1]?.size).toBeNull();
  expect(rows[1]?.size).toBe(5);
});

test("a game is found without its accents", () => {
  expect(chosenOf(rows, { ...wanted, words: "oko" }).map((row) => row.id)).toEqual(["1"]);
});

test("the largest games come first if that is wanted", () => {
  expect(chosenOf(rows, { ...wanted, sort: "size" }).map((row) => row.id)).toEqual(["2", "1"]);
});

test("a state narrows", () => {
  expect(chosenOf(rows, { ...wanted, state: "offline" }).map((row) => row.id)).toEqual(["2"]);
});
