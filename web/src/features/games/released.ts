import type { ReleaseResponse } from "@/api";

/** The release date of a game with its precision; `quarterOf` formats a quarter. */
export function releasedText(
  released: ReleaseResponse,
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
