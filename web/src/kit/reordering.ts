/** Return a copy with one item moved to another index. */
export function moveItem<T>(things: readonly T[], from: number, to: number): T[] {
  const next = [...things];
  const place = Math.max(0, Math.min(things.length - 1, to));
  const [thing] = next.splice(from, 1);
  if (thing !== undefined) next.splice(place, 0, thing);
  return next;
}

const STEPS: Record<string, number> = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

/** The index that a key moves an item to, or null. */
export function indexAfterKey(key: string, from: number, count: number): number | null {
  const step = STEPS[key] ?? (key === "Home" ? -from : key === "End" ? count - 1 - from : undefined);
  if (step === undefined) return null;
  const to = from + step;
  return to === from || to < 0 || to >= count ? null : to;
}
