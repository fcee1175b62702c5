export type Direction = "up" | "down" | "left" | "right";

export type Box = Pick<DOMRect, "left" | "top" | "right" | "bottom">;

// Downwards, the next row counts more than the same column: rows of pages rarely have the same columns.
const ROW_WEIGHT = 3;
// Of several boxes beside each other, the one in the middle is meant.
const CENTER_WEIGHT = 0.3;

/** A box seen in a direction: where it begins and ends in it, and its sides. */
interface Seen {
  start: number;
  end: number;
  low: number;
  high: number;
}

function seenIn(direction: Direction, { left, top, right, bottom }: Box): Seen {
  if (direction === "right") return { start: left, end: right, low: top, high: bottom };
  if (direction === "left") return { start: -right, end: -left, low: top, high: bottom };
  if (direction === "down") return { start: top, end: bottom, low: left, high: right };
  return { start: -bottom, end: -top, low: left, high: right };
}

/**
 * The index of the nearest box in a direction, or -1. To the left and right only boxes in the same row count; up and
 * down the nearest row, and in it the nearest column.
 */
export function nearest(direction: Direction, from: Box, boxes: readonly Box[]): number {
  const here = seenIn(direction, from);
  const isSideways = direction === "left" || direction === "right";
  let best = -1;
  let bestCost = Infinity;
  boxes.forEach((box, index) => {
    const there = seenIn(direction, box);
    // Boxes may overlap a little, such as an enlarged one and its neighbor.
    const overlap = Math.min(here.end - here.start, there.end - there.start) / 4;
    if (there.start < here.end - overlap || there.end <= here.end) return;
    const ahead = Math.max(0, there.start - here.end);
    const aside = Math.max(0, there.low - here.high, here.low - there.high);
    if (isSideways && (there.low >= here.high || here.low >= there.high)) return;
    const center = Math.abs(there.low + there.high - here.low - here.high) / 2;
    const cost = (isSideways ? ahead : ahead * ROW_WEIGHT) + aside + center * CENTER_WEIGHT;
    if (cost >= bestCost) return;
    best = index;
    bestCost = cost;
  });
  return best;
}
