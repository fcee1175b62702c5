import { expect, test } from "vitest";

import {
  arranged,
  closeness,
  type Entry,
  type Group,
  meant,
  recentsOf,
  remembering,
  stepped,
  withoutVerb,
} from "./rules";

function entries(...titles: string[]): Entry[] {
  return titles.map((title) => ({ key: title, title }));
}

function titles(found: readonly Entry[]): string[] {
  return found.map(({ title }) => title);
}

test("the nearer what was typed, the closer", () => {
  const typed = "col";
  const near = ["COL", "Collections", "My collections", "Protocol", "Cool", "Library"].map((title) =>
    closeness(title, typed),
  );
  expect(near).toEqual([5, 4, 3, 2, 1, 0]);
});

test("words may be typed by their beginnings, in any order", () => {
  expect(closeness("Let a device in", "dev let")).toBe(3);
  expect(closeness("Half-Life: Opposing Force", "life forc")).toBe(3);
});

test("letters left out are forgiven from the first letter on", () => {
  expect(closeness("Library", "libary")).toBe(1);
  expect(closeness("Übersicht", "ubrscht")).toBe(1);
  expect(closeness("My library", "libary")).toBe(0);
});

test("a single letter counts where a word begins", () => {
  expect(closeness("Let a device in", "d")).toBe(3);
  expect(closeness("Let a device in", "v")).toBe(0);
});

test("what is meant stands nearest first, and no more of it than wanted", () => {
  const pages = entries("Games to import", "Import", "Companies", "Users");
  expect(titles(meant(pages, "import", 5))).toEqual(["Import", "Games to import"]);
  expect(titles(meant(pages, "", 3))).toEqual(["Games to import", "Import", "Companies"]);
});

test("people are found by their user name too", () => {
  const [ada] = meant([{ key: "1", title: "Ada", alias: "countess" }], "count", 5);
  expect(ada?.title).toBe("Ada");
});

test("a page typed by its name comes before a game that only resembles it", () => {
  const games: Group = { name: "games", entries: entries("Taskmaster") };
  const pages: Group = { name: "pages", entries: entries("Tasks") };
  expect(arranged([games, pages], "tasks").map(({ name }) => name)).toEqual(["pages", "games"]);
});

test("where groups are equally near they keep their order, and empty ones are left out", () => {
  const games: Group = { name: "games", entries: entries("Wesnoth") };
  const people: Group = { name: "people", entries: entries("Wesley") };
  const none: Group = { name: "pages", entries: [] };
  expect(arranged([none, games, people], "wes").map(({ name }) => name)).toEqual(["games", "people"]);
});

test("a verb before or behind a game's name is not part of the name", () => {
  expect(withoutVerb("edit cave story", "Edit")).toBe("cave story");
  expect(withoutVerb("cave story bearb", "bearbeiten")).toBe("cave story");
});

test("a verb alone, or its first letters, is what is searched", () => {
  expect(withoutVerb("edit", "Edit")).toBe("edit");
  expect(withoutVerb("ed quest", "Edit")).toBe("ed quest");
});

test("stepping past an end begins again at the other", () => {
  expect(stepped(["a", "b", "c"], "c", 1)).toBe("a");
  expect(stepped(["a", "b", "c"], "a", -1)).toBe("c");
  expect(stepped(["a", "b", "c"], "b", -1)).toBe("a");
});

test("stepping from nowhere begins at an end", () => {
  expect(stepped(["a", "b"], "gone", 1)).toBe("a");
  expect(stepped(["a", "b"], undefined, -1)).toBe("b");
  expect(stepped([], undefined, 1)).toBeNull();
});

test("a game opened again is the latest, and the oldest are forgotten", () => {
  expect(remembering(["a", "b", "c"], "c")).toEqual(["c", "a", "b"]);
  expect(remembering(["1", "2", "3", "4", "5", "6"], "7")).toEqual(["7", "1", "2", "3", "4", "5"]);
});

test("what is kept is read, and nonsense is no game", () => {
  expect(recentsOf(JSON.stringify(["a", 7, null, "b"]))).toEqual(["a", "b"]);
  expect(recentsOf(null)).toEqual([]);
  expect(recentsOf("{]")).toEqual([]);
  expect(recentsOf('{"a":1}')).toEqual([]);
});
