import { expect, test } from "vitest";

import type { GameFolderStatus, GameTableRow } from "@/api";

import { countsOf, folderRowsOf, isFolderState, rowsOf } from "./rules";

function game(id: string, name: string, created: string, changes: Partial<GameTableRow> = {}): GameTableRow {
  return {
    id,
    name,
    created,
    cover: "",
    library: "lib",
    path: name,
    featured: false,
    damaged: false,
    versions: 0,
    size: 0,
    ...changes,
  };
}
const ecology = game("1", "Ökolopoly", "2026-01-01");
const doom = game("2", "Doom", "2026-02-01", { featured: true, versions: 3, size: 5, damaged: true });
const games = [ecology, doom];
const folders: GameFolderStatus[] = [
  { game: ecology, offline: false, unimportedVersions: ["1.0", "2.0"], leftOut: [] },
  { game: doom, offline: true, unimportedVersions: [], leftOut: [] },
];
const wanted = { words: "", state: "", library: "", sort: "name" } as const;
const known = { libraries: [], folders };

test("a game has states, those of its folder once it is checked", () => {
  expect([...(rowsOf(games, { libraries: [], folders: undefined })[0]?.states ?? [])]).toEqual(["noVersions"]);
  const rows = rowsOf(games, known);
  expect([...(rows[0]?.states ?? [])]).toEqual(["noVersions", "unimported"]);
  expect([...(rows[1]?.states ?? [])]).toEqual(["featured", "damaged", "offline"]);
  expect(rows[0]?.unimported).toBe(2);
});

test("the search in folders ignores accents", () => {
  expect(folderRowsOf(known, { ...wanted, words: "oko" }).map((row) => row.id)).toEqual(["1"]);
});

test("folders are sorted by the size of the game, largest first", () => {
  expect(folderRowsOf(known, { ...wanted, sort: "size" }).map((row) => row.id)).toEqual(["2", "1"]);
});

test("folders are filtered by state and library", () => {
  expect(folderRowsOf(known, { ...wanted, state: "offline" }).map((row) => row.id)).toEqual(["2"]);
  expect(folderRowsOf(known, { ...wanted, library: "other" })).toEqual([]);
});

test("counts of folders are unknown until they are checked", () => {
  const counts = { featured: 1, damaged: 1, noVersions: 1 };
  expect(countsOf(counts, undefined)).toEqual(counts);
  expect(countsOf(undefined, folders)).toEqual({ offline: 1, unimported: 1 });
});

test("the database knows all states but those of folders", () => {
  expect(["featured", "damaged", "noVersions"].map((state) => isFolderState(state as "featured"))).not.toContain(true);
  expect([isFolderState("offline"), isFolderState("unimported"), isFolderState("")]).toEqual([true, true, false]);
});
