import { expect, test } from "vitest";
import { createI18n } from "vue-i18n";

import { withFormattedNumbers } from "./numbers";

const messages = {
  en: {
    games: "No games | 1 game | {n} games",
    of: "{n} of {total} imported",
    named: "{name}: 1 game | {name}: {n} games",
  },
};
const { t } = createI18n({ legacy: false, locale: "en", messages }).global;
const format = (value: number) => value.toLocaleString("en");

function translate(key: string, ...args: unknown[]): string {
  return (t as (key: string, ...args: unknown[]) => string)(key, ...withFormattedNumbers(args, format));
}

test.each([
  [[0], "No games"],
  [[1], "1 game"],
  [[1234], "1,234 games"],
  [[{ n: 1234 }, 1234], "1,234 games"],
  [[{ n: 1 }], "1 game"],
  [[{ n: "1.234" }, 1234], "1.234 games"],
])("a count is grouped and chooses the plural form: %j", (args, text) => {
  expect(translate("games", ...args)).toBe(text);
});

test("all named numbers are grouped", () => {
  expect(translate("of", { n: 12_345, total: 67_890 })).toBe("12,345 of 67,890 imported");
});

test("text is not changed", () => {
  expect(translate("named", { name: "2048", n: 2048 }, 2048)).toBe("2048: 2,048 games");
});
