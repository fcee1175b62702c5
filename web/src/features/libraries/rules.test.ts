import { expect, test } from "vitest";

import type { StatisticsResponse } from "@/api";

import { factsOf, withoutBlanks } from "./rules";

const counts = [
  { library: "a", games: 2, unimported: 1 },
  { library: "b", games: 0, unimported: null },
];
const statistics = { storage: [{ library: { id: "b" }, size: 7, free: 9 }] } as unknown as StatisticsResponse;

test("has the games and folders of each library", () => {
  expect(factsOf(counts, undefined).get("a")).toEqual({ games: 2, waiting: 1, size: null, free: null });
});

test("adds sizes", () => {
  expect(factsOf(counts, statistics).get("b")).toEqual({ games: 0, waiting: 0, size: 7, free: 9 });
});

test("leaves out blank lines between patterns", () => {
  const rules = { importGames: false, importVersions: true, ignore: [" *.part ", "", " "] };
  expect(withoutBlanks(rules)).toEqual({ ...rules, ignore: ["*.part"] });
});
