import type { ReleaseAnswer } from "@/api";

/** When a game came out, as exactly as it is known; `quarterOf` words the quarter of a year. */
export function releasedText(
  released: ReleaseAnswer,
  language: string,
  quarterOf: (quarter: number, year: number) => string,
): string {
  const date = new Date(`${released.date}T00:00:00Z`);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" }).format(date);
  switch (released.precision) {
    case "year":
      return format({ year: "numeric" });
    case "quarter":
      return quarterOf(Math.floor(date.getUTCMonth() / 3) + 1, date.getUTCFullYear());
    case "month":
      return format({ year: "numeric", month: "long" });
    case "day":
      return format({ dateStyle: "long" });
  }
}
