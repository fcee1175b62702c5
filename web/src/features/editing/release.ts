import type { ReleaseInput } from "@/api";

const PARTS: Record<ReleaseInput["precision"] & string, number> = { day: 1, month: 1, quarter: 3, year: 12 };

/** The year of a release, and its month or quarter counted from 1. */
export function partsOf({ date, precision = "day" }: ReleaseInput): { year: number; part: number } {
  const [year = 0, month = 1] = date.split("-").map(Number);
  return { year, part: Math.floor((month - 1) / PARTS[precision]) + 1 };
}

/** The first day of a month, quarter or year; null if invalid. */
export function firstDay(
  precision: "month" | "quarter" | "year",
  { year, part }: { year: number; part: number },
): string | null {
  if (!Number.isInteger(year) || year < 1 || year > 9999) return null;
  const month = (part - 1) * PARTS[precision] + 1;
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-01`;
}
