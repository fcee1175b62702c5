import { mount } from "@vue/test-utils";
import { expect, test } from "vitest";
import { createI18n } from "vue-i18n";

import german from "./locales/de.json";
import { useServiceText } from "./serviceText";

function translations(locale: "en" | "de"): ReturnType<typeof useServiceText> {
  const i18n = createI18n({
    legacy: false,
    locale,
    messages: { de: { problems: german }, en: {} },
    missingWarn: false,
  });
  let found: ReturnType<typeof useServiceText> | undefined;
  const probe = {
    setup: () => {
      found = useServiceText();
      return () => null;
    },
  };
  mount(probe, { global: { plugins: [i18n] } });
  if (!found) throw new Error("The component was not set up.");
  return found;
}
const away = { text: "There is no such folder.", code: "no-such-folder", parameters: {} };
const message = { text: "The library cannot be read.", code: "library-unreadable", parameters: { reason: away } };

test("a sentence is translated by its code, with the sentences in it", () => {
  const { textOf } = translations("de");
  expect(textOf(message)).toMatch(/^Der Spieleordner ist nicht lesbar\. Diesen Ordner gibt es nicht\./);
});

test("a count selects the plural form", () => {
  const { textOf } = translations("de");
  const deleted = (count: number) => textOf({ text: "", code: "objects-deleted", parameters: { count } });
  expect([deleted(1), deleted(2)]).toEqual(["1 Objekt gelöscht.", "2 Objekte gelöscht."]);
});

test("several sentences are translated one by one", () => {
  const { textOf } = translations("de");
  const both = { text: "", code: "several", parameters: { sentences: [away, "Plain text."] } };
  expect(textOf(both)).toMatch(/^Diesen Ordner gibt es nicht\..* Plain text\.$/);
});

test("without a translation the sentence is shown as it is", () => {
  expect(translations("en").textOf(message)).toBe(message.text);
  const { textOf, titleOf } = translations("de");
  expect(textOf({ text: "New sentence.", code: "unknown", parameters: {} })).toBe("New sentence.");
  expect(textOf({ text: "Old row.", code: null, parameters: null })).toBe("Old row.");
  expect([titleOf("Version missing"), titleOf("Odd title")]).toEqual(["Version fehlt", "Odd title"]);
});

test("the code of a problem has the text of the problem, with its reason", () => {
  const { textOf } = translations("de");
  const unavailable = { text: "", code: "library-unavailable", parameters: { reason: away } };
  expect(textOf(unavailable)).toMatch(/^Der Spieleordner ist nicht lesbar\. Diesen Ordner gibt es nicht\./);
  expect(textOf({ text: "Away.", code: "task-unknown", parameters: {} })).toBe(german.types["task-unknown"]);
});
