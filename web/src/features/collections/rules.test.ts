import { expect, test } from "vitest";

import type { EntryResponse, Platform } from "@/api";

import { neighborAfterRemoval, visibleEntries, toggleSelected, parseView } from "./rules";

function entry(name: string, ...platforms: Platform[]): EntryResponse {
  return { gameId: name, game: { name, platforms } } as EntryResponse;
}

const ENTRIES = [entry("Zak", "Linux"), entry("Öko 10", "Windows"), entry("Öko 2", "Windows", "Linux")];

function namesSeen({ typed = "", sort = "", platform = "" }): string[] {
  return visibleEntries(ENTRIES, parseView(typed, sort, platform), "de").map(({ game }) => game.name);
}

test("without parameters, all games are listed latest first", () => {
  expect(namesSeen({})).toEqual(["Zak", "Öko 10", "Öko 2"]);
});

test("names are sorted naturally", () => {
  expect(namesSeen({ sort: "name" })).toEqual(["Öko 2", "Öko 10", "Zak"]);
});

test("games are sorted by when and for how long they were played, the others are last", () => {
  const played = new Map([
    ["Öko 10", { seconds: 60, lastPlayed: "2026-11-20T05:38:00.000Z" }],
    ["Öko 2", { seconds: 90, lastPlayed: null }],
  ]);
  const sorted = (sort: string) =>
    visibleEntries(ENTRIES, parseView("", sort, ""), "de", played).map(({ game }) => game.name);
  expect(sorted("played")).toEqual(["Öko 10", "Zak", "Öko 2"]);
  expect(sorted("playTime")).toEqual(["Öko 2", "Öko 10", "Zak"]);
});

test("search and platform are combined", () => {
  expect(namesSeen({ typed: "oko", platform: "Linux" })).toEqual(["Öko 2"]);
});

test("unknown values are ignored", () => {
  expect(parseView("", "price", "Amiga")).toEqual(parseView("", "", ""));
});

test("sorting does not modify the entries", () => {
  namesSeen({ sort: "name" });
  expect(ENTRIES[0]?.game.name).toBe("Zak");
});

const ORDER = ["a", "b", "c", "d"];

test("toggling adds or removes one game", () => {
  expect(toggleSelected(new Set(["a"]), ORDER, "b", { through: null })).toEqual(new Set(["a", "b"]));
  expect(toggleSelected(new Set(["a", "b"]), ORDER, "b", { through: null })).toEqual(new Set(["a"]));
});

test("a range selects everything between, in both directions", () => {
  expect(toggleSelected(new Set(["b"]), ORDER, "d", { through: "b" })).toEqual(new Set(["b", "c", "d"]));
  expect(toggleSelected(new Set(["d"]), ORDER, "b", { through: "d" })).toEqual(new Set(["b", "c", "d"]));
});

test("a range from a hidden game selects only the target", () => {
  expect(toggleSelected(new Set(["x"]), ORDER, "c", { through: "x" })).toEqual(new Set(["x", "c"]));
});

test("after a removal the focus moves to the next game, or else to the previous one", () => {
  expect(neighborAfterRemoval(ORDER, new Set(["b", "c"]))).toBe("d");
  expect(neighborAfterRemoval(ORDER, new Set(["c", "d"]))).toBe("b");
  expect(neighborAfterRemoval(ORDER, new Set(ORDER))).toBeNull();
});
