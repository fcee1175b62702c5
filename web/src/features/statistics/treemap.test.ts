import { describe, expect, it } from "vitest";

import type { LibraryStorage } from "@/api";

import { type Box, layOut, neighbour, partsOf } from "./treemap";

function library(name: string, ...sizes: number[]): LibraryStorage {
  const games = sizes.map((size, index) => ({
    id: `${name}${index}`,
    name: `${name} ${index}`,
    size,
    versions: 1,
    colour: null,
  }));
  return {
    library: { id: name, name, backend: "Filesystem", working: true },
    size: sizes.reduce((sum, size) => sum + size, 0),
    gameCount: sizes.length,
    versionCount: sizes.length,
    free: null,
    games,
  };
}
const AREA = { width: 400, height: 300 };

describe("partsOf", () => {
  it("returns the largest games, and the others of each library together", () => {
    const parts = [...partsOf([library("a", 50, 3, 2), library("b", 40, 1)], 2).values()].flat();
    expect(parts.map(({ size, games }) => [size, games])).toEqual([
      [50, 1],
      [5, 2],
      [40, 1],
      [1, 1],
    ]);
  });

  it("includes games that are not listed", () => {
    const [large, rest] = [
      ...partsOf([{ ...library("a", 50), size: 90, gameCount: 5, versionCount: 7 }]).values(),
    ].flat();
    expect(large?.games).toBe(1);
    expect(rest).toMatchObject({ size: 40, games: 4, versions: 6 });
  });

  it("omits games without content", () => {
    expect(partsOf([library("a", 0), library("b")]).size).toBe(0);
  });
});

describe("layOut", () => {
  it("sizes tiles by storage use", () => {
    const { tiles } = layOut([library("a", 75, 25)], AREA);
    const [large, small] = tiles.map((tile) => tile.width * tile.height);
    expect((large ?? 0) / (small ?? 1)).toBeCloseTo(3, 0);
  });

  it("shows library names only if there are several", () => {
    expect(layOut([library("a", 1)], AREA).areas).toEqual([]);
    expect(layOut([library("a", 2), library("b", 1)], AREA).areas.map((area) => area.name)).toEqual(["a", "b"]);
  });

  it("is empty without content or space", () => {
    expect(layOut([], AREA).tiles).toEqual([]);
    expect(layOut([library("a", 1)], { width: 0, height: 300 }).tiles).toEqual([]);
  });
});

describe("neighbour", () => {
  // One wide tile on the left, two stacked on the right.
  const boxes: Box[] = [
    { x: 0, y: 0, width: 100, height: 100 },
    { x: 100, y: 0, width: 50, height: 50 },
    { x: 100, y: 50, width: 50, height: 50 },
  ];

  it.each<[number, string, number | null]>([
    [0, "ArrowRight", 1],
    [1, "ArrowDown", 2],
    [2, "ArrowUp", 1],
    [2, "ArrowLeft", 0],
    [0, "ArrowLeft", null],
    [1, "Enter", null],
  ])("moves from %i with %s to %s", (from, key, next) => {
    expect(neighbour(boxes, from, key)).toBe(next);
  });
});
