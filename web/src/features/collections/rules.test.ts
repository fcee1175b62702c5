import { expect, test } from "vitest";

import type { EntryAnswer, Platform } from "@/api";

import { neighbour, seen, ticked, viewOf } from "./rules";

function entry(name: string, ...platforms: Platform[]): EntryAnswer {
  return { gameId: name, game: { name, platforms } } as EntryAnswer;
}

const ENTRIES = [entry("Zak", "Linux"), entry("Öko 10", "Windows"), entry("Öko 2", "Windows", "Linux")];

function namesSeen({ typed = "", sort = "", platform = "" }): string[] {
  return seen(ENTRIES, viewOf(typed, sort, platform), "de").map(({ game }) => game.name);
}

test("an address without a view shows everything, the latest first", () => {
  expect(namesSeen({})).toEqual(["Zak", "Öko 10", "Öko 2"]);
});

test("names are sorted as people count and spell", () => {
  expect(namesSeen({ sort: "name" })).toEqual(["Öko 2", "Öko 10", "Zak"]);
});

test("filter and platform hold together", () => {
  expect(namesSeen({ typed: "oko", platform: "Linux" })).toEqual(["Öko 2"]);
});

test("nonsense in the address counts as unset", () => {
  expect(viewOf("", "price", "Amiga")).toEqual(viewOf("", "", ""));
});

test("sorting leaves the entries themselves alone", () => {
  namesSeen({ sort: "name" });
  expect(ENTRIES[0]?.game.name).toBe("Zak");
});

const ORDER = ["a", "b", "c", "d"];

test("a tick takes one more or lets it go", () => {
  expect(ticked(new Set(["a"]), ORDER, "b", { through: null })).toEqual(new Set(["a", "b"]));
  expect(ticked(new Set(["a", "b"]), ORDER, "b", { through: null })).toEqual(new Set(["a"]));
});

test("a tick through takes everything between, in both directions", () => {
  expect(ticked(new Set(["b"]), ORDER, "d", { through: "b" })).toEqual(new Set(["b", "c", "d"]));
  expect(ticked(new Set(["d"]), ORDER, "b", { through: "d" })).toEqual(new Set(["b", "c", "d"]));
});

test("a tick through from a game that is hidden by now takes only the one", () => {
  expect(ticked(new Set(["x"]), ORDER, "c", { through: "x" })).toEqual(new Set(["x", "c"]));
});

test("after a removal one goes on with what comes next, or with what stood before", () => {
  expect(neighbour(ORDER, new Set(["b", "c"]))).toBe("d");
  expect(neighbour(ORDER, new Set(["c", "d"]))).toBe("b");
  expect(neighbour(ORDER, new Set(ORDER))).toBeNull();
});
