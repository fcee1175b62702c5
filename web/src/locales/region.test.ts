import { expect, test } from "vitest";

import { regionalLocale } from "./region";

test.each([
  ["en", ["de-DE", "en-GB", "en-US"], "en-GB"],
  ["en", ["en", "en-AU"], "en-AU"],
  ["de", ["de-AT", "en-US"], "de-AT"],
  ["de", ["en-GB"], "de"],
  ["en", [], "en"],
])("pages in %s with the browser's languages %j are formatted as in %s", (language, preferred, locale) => {
  expect(regionalLocale(language, preferred)).toBe(locale);
});
