import { describe, expect, it } from "vitest";

import type { GameCard, TagInUse } from "@/api";

import { busiestTags, isUpdated, standingFirst } from "./shelves";

function tag(name: string, games: number, kind: TagInUse["kind"] = "genre"): TagInUse {
  return { id: name, name, kind, games };
}
const card = (id: string) => ({ id }) as GameCard;

describe("the shelves of the front page", () => {
  it("are those of the busiest genres and themes", () => {
    const tags = [tag("Rare", 3), tag("Strategy", 9), tag("Fantasy", 12, "theme")];
    expect(busiestTags(tags).map(({ name }) => name)).toEqual(["Fantasy", "Strategy", "Rare"]);
  });

  it("are never of keywords, nor of two games", () => {
    expect(busiestTags([tag("elves", 50, "keyword"), tag("Puzzle", 2)])).toEqual([]);
  });

  it("are of modes only where there is nothing better", () => {
    const genres = ["a", "b", "c", "d"].map((name) => tag(name, 5));
    expect(busiestTags([...genres, tag("Multiplayer", 80, "mode")]).map(({ name }) => name)).toEqual([
      "a",
      "b",
      "c",
      "d",
    ]);
    expect(busiestTags([tag("Multiplayer", 80, "mode")])).toHaveLength(1);
  });
});

describe("a game is updated", () => {
  const added = "2026-01-01T12:00:00Z";

  it("by a version that came after it", () => {
    expect(isUpdated({ added, updated: "2026-01-03T12:00:00Z" })).toBe(true);
  });

  it("not by the versions that came with it", () => {
    expect(isUpdated({ added, updated: "2026-01-01T12:20:00Z" })).toBe(false);
    expect(isUpdated({ added, updated: null })).toBe(false);
  });
});

describe("what stands first", () => {
  it("is what is featured", () => {
    expect(standingFirst([card("a"), card("b")], [card("c")])).toEqual([card("a"), card("b")]);
  });

  it("is the newest game where nothing is featured", () => {
    expect(standingFirst([], [card("c"), card("d")])).toEqual([card("c")]);
    expect(standingFirst([], [])).toEqual([]);
  });
});
