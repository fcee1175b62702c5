import type { ReleaseDraft } from "@/api";

const PARTS: Record<ReleaseDraft["precision"] & string, number> = { day: 1, month: 1, quarter: 3, year: 12 };

/** The year, and the month or quarter in it from 1, of a release. */
export function partsOf({ date, precision = "day" }: ReleaseDraft): { year: number; part: number } {
  const [year = 0, month = 1] = date.split("-").map(Number);
  return { year, part: Math.floor((month - 1) / PARTS[precision]) + 1 };
}

/** The first day of a month, quarter or year; null where there is no such year. */
export function firstDay(
  precision: "month" | "quarter" | "year",
  { year, part }: { year: number; part: number },
): string | null {
  if (!Number.isInteger(year) || year < 1 || year > 9999) return null;
  const month = (part - 1) * PARTS[precision] + 1;
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-01`;
}
