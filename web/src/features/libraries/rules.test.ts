import { expect, test } from "vitest";

import type { LibraryOverview, StatisticsResponse } from "@/api";

import { factsOf } from "./rules";

const overview = {
  games: [{ game: { libraryId: "a" } }, { game: { libraryId: "a" } }],
  unimportedGames: { a: ["Doom"], b: [] },
} as unknown as LibraryOverview;
const statistics = { storage: [{ library: { id: "b" }, size: 7, free: 9 }] } as unknown as StatisticsResponse;

test("counts games and folders for each library", () => {
  expect(factsOf(overview, undefined).get("a")).toEqual({ games: 2, waiting: 1, size: null, free: null });
});

test("adds sizes", () => {
  expect(factsOf(overview, statistics).get("b")).toEqual({ games: 0, waiting: 0, size: 7, free: 9 });
});
