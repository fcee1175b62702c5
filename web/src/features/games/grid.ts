const MIN_COVER_WIDTH_PX = 152;
const GAP = 16;

/** The number of columns for a width in pixels. */
export function columnsOf(width: number): number {
  return Math.max(2, Math.floor((width + GAP) / (MIN_COVER_WIDTH_PX + GAP)));
}

/** The height of a row of 2:3 covers, including the gap. */
export function rowHeight(width: number, columns: number): number {
  const cover = (width - GAP * (columns - 1)) / columns;
  return Math.max(1, Math.round(cover * 1.5) + GAP);
}

/** The number of items an arrow key moves by; 0 for any other key. */
export function stepOf(key: string, columns: number): number {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  return steps[key] ?? 0;
}

/** How much larger a rem is than usual. */
export function rootScale(): number {
  return (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16;
}
