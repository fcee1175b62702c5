import { computed } from "vue";
import { useI18n } from "vue-i18n";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
// From here on a number of three digits would be written with four.
const ROUNDS_UP = 0.9995;
const MINUTE = 60;
const SPANS = [
  ["year", 365 * 24 * 60 * MINUTE],
  ["month", 30 * 24 * 60 * MINUTE],
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
] as const;

/** Bytes as people write them: decimal units, three digits that count. */
export function formatBytes(bytes: number, language: string): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes / ROUNDS_UP) / 3));
  const value = bytes / 1000 ** power;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: UNITS[power] ?? "byte",
    unitDisplay: power ? "short" : "long",
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2,
  }).format(value);
}

/** How long ago or ahead, in the largest unit that fits. */
export function formatAgo(when: Date, now: Date, language: string): string {
  const seconds = (when.getTime() - now.getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const span = SPANS.find(([, length]) => Math.abs(seconds) >= length);
  return span ? format.format(Math.round(seconds / span[1]), span[0]) : format.format(0, "minute");
}

/** A time to wait, in minutes from one and a half on. */
export function formatWait(seconds: number, language: string): string {
  const [value, unit] =
    seconds < 1.5 * MINUTE ? [Math.ceil(seconds), "second"] : [Math.ceil(seconds / MINUTE), "minute"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
}

/** A share of 0 to 1 in percent: what is not all of it is never told as 100. */
export function formatPercent(share: number, language: string): string {
  const percent = share < 1 ? Math.min(99, Math.round(share * 100)) : 100;
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(percent / 100);
}

/** Numbers and times in the language of the pages. */
export function useFormat() {
  const { locale } = useI18n();
  const day = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: "medium" }));
  const moment = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" }));
  const number = computed(() => new Intl.NumberFormat(locale.value));
  return {
    bytes: (count: number) => formatBytes(count, locale.value),
    day: (iso: string) => day.value.format(new Date(iso)),
    moment: (iso: string) => moment.value.format(new Date(iso)),
    ago: (iso: string) => formatAgo(new Date(iso), new Date(), locale.value),
    percent: (share: number) => formatPercent(share, locale.value),
    number: (value: number) => number.value.format(value),
  };
}
