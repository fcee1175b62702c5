import { expect, it } from "vitest";

import { expiryOf, isEndless, type Lifetime } from "./expiry";

const NOW = new Date("2026-01-31T12:00:00.000Z");

it.each<[Lifetime, string]>([
  ["hour", "2026-01-31T13:00:00.000Z"],
  ["day", "2026-02-01T12:00:00.000Z"],
  ["week", "2026-02-07T12:00:00.000Z"],
  ["month", "2026-02-28T12:00:00.000Z"],
  ["quarter", "2026-04-30T12:00:00.000Z"],
  ["year", "2027-01-31T12:00:00.000Z"],
  ["never", "2126-01-31T12:00:00.000Z"],
])("an invitation for %s expires at %s", (lifetime, end) => {
  expect(expiryOf(lifetime, NOW).toISOString()).toBe(end);
});

it("recognizes invitations that never expire", () => {
  expect(isEndless(expiryOf("never", NOW).toISOString(), NOW)).toBe(true);
  expect(isEndless(expiryOf("year", NOW).toISOString(), NOW)).toBe(false);
});
