/** The lifetimes of an invitation. */
export const LIFETIMES = ["hour", "day", "week", "month", "quarter", "year", "never"] as const;
export type Lifetime = (typeof LIFETIMES)[number];

const HOUR = 60 * 60 * 1000;
const HOURS = { hour: 1, day: 24, week: 7 * 24 };
const MONTHS = { month: 1, quarter: 3, year: 12, never: 100 * 12 };
const HARDLY_EVER = 50;

/** When a new invitation expires. "Never" is a hundred years ahead, because the service requires a date. */
export function expiryOf(lifetime: Lifetime, now: Date): Date {
  if (lifetime in HOURS) return new Date(now.getTime() + HOURS[lifetime as keyof typeof HOURS] * HOUR);
  return monthsLater(now, MONTHS[lifetime as keyof typeof MONTHS]);
}

// Clamped to the last day of the month: a month after 31 January is 28 February.
function monthsLater(now: Date, months: number): Date {
  const later = new Date(now);
  later.setUTCMonth(later.getUTCMonth() + months);
  if (later.getUTCDate() !== now.getUTCDate()) later.setUTCDate(0);
  return later;
}

/** Return whether an expiry date means "never". */
export function isEndless(expires: string, now: Date): boolean {
  return new Date(expires).getUTCFullYear() - now.getUTCFullYear() >= HARDLY_EVER;
}
