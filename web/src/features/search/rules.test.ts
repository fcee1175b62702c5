import { expect, test } from "vitest";

import {
  arranged,
  matchScore,
  type Entry,
  type Group,
  meant,
  recentsOf,
  remembering,
  stepped,
  stripVerb,
} from "./rules";

function entries(...titles: string[]): Entry[] {
  return titles.map((title) => ({ key: title, title }));
}

function titles(found: readonly Entry[]): string[] {
  return found.map(({ title }) => title);
}

test("closer matches get a higher score", () => {
  const typed = "col";
  const near = ["COL", "Collections", "My collections", "Protocol", "Cool", "Library"].map((title) =>
    matchScore(title, typed),
  );
  expect(near).toEqual([5, 4, 3, 2, 1, 0]);
});

test("words can be abbreviated and in any order", () => {
  expect(matchScore("Authorize a device", "dev auth")).toBe(3);
  expect(matchScore("Half-Life: Opposing Force", "life forc")).toBe(3);
});

test("missing letters are tolerated after the first letter", () => {
  expect(matchScore("Library", "libary")).toBe(1);
  expect(matchScore("Übersicht", "ubrscht")).toBe(1);
  expect(matchScore("My library", "libary")).toBe(0);
});

test("a single letter matches the beginning of a word", () => {
  expect(matchScore("Authorize a device", "d")).toBe(3);
  expect(matchScore("Authorize a device", "v")).toBe(0);
});

test("matches are sorted by score and limited", () => {
  const pages = entries("Games to import", "Import", "Companies", "Users");
  expect(titles(meant(pages, "import", 5))).toEqual(["Import", "Games to import"]);
  expect(titles(meant(pages, "", 3))).toEqual(["Games to import", "Import", "Companies"]);
});

test("users are also found by user name", () => {
  const [ada] = meant([{ key: "1", title: "Ada", alias: "countess" }], "count", 5);
  expect(ada?.title).toBe("Ada");
});

test("an exact page title comes before a similar game", () => {
  const games: Group = { name: "games", entries: entries("Taskmaster") };
  const pages: Group = { name: "pages", entries: entries("Tasks") };
  expect(arranged([games, pages], "tasks").map(({ name }) => name)).toEqual(["pages", "games"]);
});

test("groups with equal scores keep their order, and empty ones are omitted", () => {
  const games: Group = { name: "games", entries: entries("Wesnoth") };
  const people: Group = { name: "people", entries: entries("Wesley") };
  const none: Group = { name: "pages", entries: [] };
  expect(arranged([none, games, people], "wes").map(({ name }) => name)).toEqual(["games", "people"]);
});

test("a verb before or after a game's name is not part of the name", () => {
  expect(stripVerb("edit cave story", "Edit")).toBe("cave story");
  expect(stripVerb("cave story bearb", "bearbeiten")).toBe("cave story");
});

test("a verb alone, or its prefix, is searched itself", () => {
  expect(stripVerb("edit", "Edit")).toBe("edit");
  expect(stripVerb("ed quest", "Edit")).toBe("ed quest");
});

test("moving past an end wraps around", () => {
  expect(stepped(["a", "b", "c"], "c", 1)).toBe("a");
  expect(stepped(["a", "b", "c"], "a", -1)).toBe("c");
  expect(stepped(["a", "b", "c"], "b", -1)).toBe("a");
});

test("moving without a current option starts at an end", () => {
  expect(stepped(["a", "b"], "gone", 1)).toBe("a");
  expect(stepped(["a", "b"], undefined, -1)).toBe("b");
  expect(stepped([], undefined, 1)).toBeNull();
});

test("an opened game becomes the latest, and the oldest is dropped", () => {
  expect(remembering(["a", "b", "c"], "c")).toEqual(["c", "a", "b"]);
  expect(remembering(["1", "2", "3", "4", "5", "6"], "7")).toEqual(["7", "1", "2", "3", "4", "5"]);
});

test("stored ids are read, and invalid content is ignored", () => {
  expect(recentsOf(JSON.stringify(["a", 7, null, "b"]))).toEqual(["a", "b"]);
  expect(recentsOf(null)).toEqual([]);
  expect(recentsOf("{]")).toEqual([]);
  expect(recentsOf('{"a":1}')).toEqual([]);
});
