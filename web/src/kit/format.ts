import { createSharedComposable, useNow } from "@vueuse/core";
import { computed } from "vue";
import { useI18n } from "vue-i18n";

import { regionalLocale } from "@/locales/region";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
// From here on, a value of three digits would be rounded to four.
const ROUNDS_UP = 0.9995;
const MINUTE = 60;
const SPANS = [
  ["year", 365 * 24 * 60 * MINUTE],
  ["month", 30 * 24 * 60 * MINUTE],
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
] as const;

/** Format a size in decimal units with three significant digits. */
export function formatBytes(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes / ROUNDS_UP) / 3));
  const value = bytes / 1000 ** power;
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: UNITS[power] ?? "byte",
    unitDisplay: power ? "short" : "long",
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2,
  }).format(value);
}

/** Format a time relative to now, in the largest unit that fits. */
export function formatAgo(when: Date, now: Date, locale: string): string {
  const seconds = (when.getTime() - now.getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const span = SPANS.find(([, length]) => Math.abs(seconds) >= length);
  return span ? format.format(Math.round(seconds / span[1]), span[0]) : format.format(0, "second");
}

/** Format the day of a time, or a date without a time, which is the same in every time zone. */
export function formatDay(iso: string, locale: string): string {
  const timeZone = iso.includes("T") ? {} : { timeZone: "UTC" };
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", ...timeZone }).format(new Date(iso));
}

/** Format a duration, in minutes from one and a half on. */
export function formatWait(seconds: number, locale: string): string {
  const [value, unit] =
    seconds < 1.5 * MINUTE ? [Math.ceil(seconds), "second"] : [Math.ceil(seconds / MINUTE), "minute"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(value);
}

/** Format how long something was done, in hours from one on. */
export function formatPlayTime(seconds: number, locale: string, unitDisplay: "long" | "short" = "long"): string {
  const hours = seconds / (60 * MINUTE);
  const [value, unit] =
    seconds < MINUTE
      ? [Math.floor(seconds), "second"]
      : hours < 1
        ? [Math.floor(seconds / MINUTE), "minute"]
        : [hours, "hour"];
  const maximumFractionDigits = hours < 100 ? 1 : 0;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay, maximumFractionDigits }).format(value);
}

/** Format a share from 0 to 1 in percent; only a complete one is 100. */
export function formatPercent(share: number, locale: string): string {
  const percent = share < 1 ? Math.min(99, Math.round(share * 100)) : 100;
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(percent / 100);
}

/** The locale for dates and numbers: the language of the pages and the browser's region. */
export function useRegionalLocale() {
  const { locale } = useI18n();
  return computed(() => regionalLocale(locale.value));
}

/** The time now, so that what is shown relative to it is kept current. */
const useCurrentTime = createSharedComposable(() => useNow({ interval: 30_000 }));

/** Formatters for numbers and times in the page's language, as the browser's region writes them. */
export function useFormat() {
  const locale = useRegionalLocale();
  const now = useCurrentTime();
  const moment = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" }));
  const number = computed(() => new Intl.NumberFormat(locale.value));
  return {
    bytes: (count: number) => formatBytes(count, locale.value),
    day: (iso: string) => formatDay(iso, locale.value),
    moment: (iso: string) => moment.value.format(new Date(iso)),
    ago: (iso: string) => formatAgo(new Date(iso), now.value, locale.value),
    playTime: (seconds: number, unitDisplay: "long" | "short" = "long") =>
      formatPlayTime(seconds, locale.value, unitDisplay),
    percent: (share: number) => formatPercent(share, locale.value),
    number: (value: number) => number.value.format(value),
  };
}
