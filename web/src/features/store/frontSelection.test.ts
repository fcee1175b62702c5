import { describe, expect, it } from "vitest";

import type { GameCard, TagInUse } from "@/api";

import { busiestTags, isUpdated, featuredGames } from "./frontSelection";

function tag(name: string, games: number, kind: TagInUse["kind"] = "genre"): TagInUse {
  return { id: name, name, kind, games };
}
const card = (id: string) => ({ id }) as GameCard;

describe("carouselTags", () => {
  it("selects the tags of the most common genres and themes", () => {
    const tags = [tag("Rare", 3), tag("Strategy", 9), tag("Fantasy", 12, "theme")];
    expect(busiestTags(tags).map(({ name }) => name)).toEqual(["Fantasy", "Strategy", "Rare"]);
  });

  it("excludes keywords and tags with two games", () => {
    expect(busiestTags([tag("elves", 50, "keyword"), tag("Puzzle", 2)])).toEqual([]);
  });

  it("uses modes only if there is nothing better", () => {
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

describe("isUpdated", () => {
  const added = "2026-01-01T12:00:00Z";

  it("is true for a version added later", () => {
    expect(isUpdated({ added, updated: "2026-01-03T12:00:00Z" })).toBe(true);
  });

  it("is false for versions imported with the game", () => {
    expect(isUpdated({ added, updated: "2026-01-01T12:20:00Z" })).toBe(false);
    expect(isUpdated({ added, updated: null })).toBe(false);
  });
});

describe("featuredGames", () => {
  it("returns the featured games", () => {
    expect(featuredGames([card("a"), card("b")], [card("c")])).toEqual([card("a"), card("b")]);
  });

  it("falls back to the newest game", () => {
    expect(featuredGames([], [card("c"), card("d")])).toEqual([card("c")]);
    expect(featuredGames([], [])).toEqual([]);
  });
});
