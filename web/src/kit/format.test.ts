import { expect, test } from "vitest";

import { formatAgo, formatBytes, formatDay, formatPercent, formatPlayTime, formatWait } from "./format";

test("a short duration is in seconds, a longer one in minutes, rounded up", () => {
  expect(formatWait(1, "en")).toBe("1 second");
  expect(formatWait(89, "en")).toBe("89 seconds");
  expect(formatWait(90, "en")).toBe("2 minutes");
  expect(formatWait(537, "de")).toBe("9 Minuten");
});

test("bytes have the largest unit and three significant digits", () => {
  expect(formatBytes(1_234, "en")).toBe("1.23 kB");
  expect(formatBytes(12_345_678, "en")).toBe("12.3 MB");
  expect(formatBytes(123_456_789_012, "de")).toBe("123\u00a0GB");
  expect(formatBytes(5e15, "en")).toBe("5,000 TB");
});

test("a value that rounds to a thousand uses the next unit", () => {
  expect(formatBytes(999_499, "en")).toBe("999 kB");
  expect(formatBytes(999_500, "en")).toBe("1 MB");
});

test("few bytes are written out", () => {
  expect(formatBytes(0, "en")).toBe("0 bytes");
  expect(formatBytes(1, "de")).toBe("1\u00a0Byte");
  expect(formatBytes(999, "en")).toBe("999 bytes");
});

test("a share is a whole percentage, and 100 only if complete", () => {
  expect(formatPercent(0.29, "en")).toBe("29%");
  expect(formatPercent(0.999, "en")).toBe("99%");
  expect(formatPercent(1, "de")).toBe("100\u00a0%");
});

const NOON = new Date("2026-05-01T12:00:00Z");

function fromNoon(time: string, language: string): string {
  return formatAgo(new Date(time), NOON, language);
}

test("times are relative, in the largest unit that fits", () => {
  expect(fromNoon("2026-05-01T11:58:00Z", "en")).toBe("2 minutes ago");
  expect(fromNoon("2026-04-30T12:00:00Z", "en")).toBe("yesterday");
  expect(fromNoon("2026-05-01T15:00:00Z", "de")).toBe("in 3 Stunden");
  expect(fromNoon("2024-05-01T12:00:00Z", "de")).toBe("vor 2 Jahren");
});

test("a time less than a minute ago is now", () => {
  expect(fromNoon("2026-05-01T11:59:30Z", "en")).toBe("now");
});

test("a day is written as the region does", () => {
  expect(formatDay("2026-05-01", "en-US")).toBe("May 1, 2026");
  expect(formatDay("2026-05-01", "en-GB")).toBe("1 May 2026");
  expect(formatDay("2026-05-01", "de-AT")).toBe("01.05.2026");
  expect(formatDay("2026-05-01T12:00:00Z", "en-GB")).toBe("1 May 2026");
});

test("numbers are grouped as the region does", () => {
  expect(formatBytes(5e15, "en-US")).toBe("5,000 TB");
  expect(formatBytes(5e15, "de-DE")).toMatch(/^5\.000\sTB$/);
});

test("play time is in minutes, and in hours from one on", () => {
  expect(formatPlayTime(59, "en")).toBe("59 seconds");
  expect(formatPlayTime(119, "en")).toBe("1 minute");
  expect(formatPlayTime(3599, "en")).toBe("59 minutes");
  expect(formatPlayTime(3600, "en")).toBe("1 hour");
  expect(formatPlayTime(45_000, "de")).toBe("12,5 Stunden");
  expect(formatPlayTime(360_000 + 1800, "en", "short")).toBe("101 hr");
});
