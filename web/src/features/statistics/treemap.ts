import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";

import type { LibraryStorage } from "@/api";

/** A rectangle in pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What a tile represents: a game, or all smaller games of a library (without an id). */
export interface Part {
  id: string | null;
  name: string;
  size: number;
  versions: number;
  games: number;
  library: string;
}

export interface Tile extends Part, Box {}

export interface Area extends Box {
  name: string;
}

/** Smaller games share a tile, because single tiles could not be seen or selected. */
const MAX_TILES = 60;
const HEAD = 26;
const GAP = 3;

interface Node {
  name: string;
  part?: Part;
  children?: Node[];
}

/** The tiles of each library: the largest games overall, and the others together. */
export function partsOf(storage: readonly LibraryStorage[], most: number = MAX_TILES): Map<string, Part[]> {
  const sizes = storage.flatMap((one) => one.games.map((game) => game.size)).sort((a, b) => b - a);
  const least = Math.max(1, sizes[most - 1] ?? 1);
  const parts = storage.map((one): [string, Part[]] => {
    const large = one.games.filter((game) => game.size >= least);
    const alone = large.map((game) => ({ ...game, games: 1, library: one.library.name }));
    return [one.library.id, [...alone, ...others(one, large)]];
  });
  return new Map(parts.filter(([, found]) => found.length));
}

/** The games of a library except the large ones, together; none if they have no content. */
function others(one: LibraryStorage, large: LibraryStorage["games"]): Part[] {
  const sum = (count: (game: LibraryStorage["games"][number]) => number) =>
    large.reduce((total, game) => total + count(game), 0);
  const size = one.size - sum((game) => game.size);
  if (size <= 0) return [];
  const versions = one.versionCount - sum((game) => game.versions);
  return [{ id: null, name: "", size, versions, games: one.gameCount - large.length, library: one.library.name }];
}

/** Lay out a treemap: tiles sized by storage use, with headings if there are several libraries. */
export function layOut(
  storage: readonly LibraryStorage[],
  { width, height }: Pick<Box, "width" | "height">,
): { tiles: Tile[]; areas: Area[] } {
  const parts = partsOf(storage);
  if (!parts.size || width <= 0) return { tiles: [], areas: [] };
  const names = new Map(storage.map(({ library }) => [library.id, library.name]));
  const children = [...parts].map(([id, found]) => ({
    name: names.get(id) ?? "",
    children: found.map((part) => ({ name: part.name, part })),
  }));
  const root = hierarchy<Node>({ name: "", children })
    .sum((node) => node.part?.size ?? 0)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const isGrouped = parts.size > 1;
  const laid = treemap<Node>()
    .tile(treemapSquarify)
    .size([width, height])
    .paddingInner(GAP)
    .paddingTop((node) => (isGrouped && node.depth === 1 ? HEAD : 0))
    .round(true)(root);
  return {
    tiles: laid.leaves().flatMap((node) => (node.data.part ? [{ ...node.data.part, ...boxOf(node) }] : [])),
    areas: isGrouped ? (laid.children ?? []).map((node) => ({ name: node.data.name, ...boxOf(node) })) : [],
  };
}

function boxOf({ x0, x1, y0, y1 }: { x0: number; x1: number; y0: number; y1: number }): Box {
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}

const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The index of the next box in the direction of an arrow key, or null. */
export function neighbour(boxes: readonly Box[], from: number, key: string): number | null {
  const way = WAYS[key];
  const here = boxes[from];
  if (!way || !here) return null;
  let [nearest, least] = [null as number | null, Infinity];
  boxes.forEach((box, index) => {
    const far = distance(here, box, way);
    if (index !== from && far < least) [nearest, least] = [index, far];
  });
  return nearest;
}

// The distance along the direction counts once, the distance across it twice; boxes that are not fully ahead are
// excluded.
function distance(here: Box, there: Box, [right, down]: readonly [number, number]): number {
  const across = span(here.x, here.width, there.x, there.width);
  const along = span(here.y, here.height, there.y, there.height);
  const [ahead, beside] = right
    ? [right > 0 ? across.after : across.before, along]
    : [down > 0 ? along.after : along.before, across];
  return ahead >= 0 ? ahead + 2 * Math.max(0, beside.before, beside.after) + beside.askew / 100 : Infinity;
}

/** The gap between two intervals along the direction, and the distance of their centers across it. */
function span(from: number, length: number, other: number, otherLength: number) {
  return {
    after: other - (from + length),
    before: from - (other + otherLength),
    askew: Math.abs(other + otherLength / 2 - (from + length / 2)),
  };
}
