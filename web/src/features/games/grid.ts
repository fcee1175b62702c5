const LEAST_WIDTH = 152;
const GAP = 16;

/** How many covers stand beside each other in so many pixels. */
export function columnsOf(width: number): number {
  return Math.max(2, Math.floor((width + GAP) / (LEAST_WIDTH + GAP)));
}

/** How high a row of covers of 2:3 is, with the gap below it. */
export function rowHeight(width: number, columns: number): number {
  const cover = (width - GAP * (columns - 1)) / columns;
  return Math.max(1, Math.round(cover * 1.5) + GAP);
}

/** How many places an arrow key goes on in a grid of so many columns; 0 for any other key. */
export function stepOf(key: string, columns: number): number {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  return steps[key] ?? 0;
}
