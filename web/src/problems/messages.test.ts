import { mount } from "@vue/test-utils";
import { expect, test } from "vitest";
import { createI18n } from "vue-i18n";

import type { Problem } from "@/api";

import german from "./locales/de.json";
import { useErrorMessages } from ".";

const i18n = createI18n({ legacy: false, locale: "de", messages: { de: { problems: german } } });
let messages: ReturnType<typeof useErrorMessages> | undefined;
mount({ setup: () => ((messages = useErrorMessages()), () => null) }, { global: { plugins: [i18n] } });

const unreadable = { text: "There is no such folder.", code: "no-such-folder", parameters: {} };

function problem(type: string, more: Partial<Problem>): Problem {
  const words = { title: "", detail: "English.", statusMessage: "", message: "" };
  return { type, ...words, status: 400, statusCode: 400, requestId: "id", ...more };
}

test("a problem is translated with its reason", () => {
  const shown = messages?.describeError(problem("library-unavailable", { parameters: { reason: unreadable } }));
  expect(shown?.text).toMatch(/^Der Spieleordner ist nicht lesbar\. Diesen Ordner gibt es nicht\./);
});

test("errors of fields are translated", () => {
  const errors = [{ field: "name", detail: "This field is required.", code: "field-required", parameters: {} }];
  const shown = messages?.describeError(problem("invalid-input", { errors }));
  expect(shown?.fields).toEqual({ name: "Dieses Feld ist erforderlich." });
  expect(shown?.text).toBe("Einige Angaben sind ungültig. Dieses Feld ist erforderlich.");
});

test("the number of errors that are not listed is translated", () => {
  const errors = [{ field: "a", detail: "This field is unknown.", code: "field-unknown", parameters: {} }];
  const shown = messages?.describeError(problem("invalid-input", { errors, moreErrors: 12 }));
  expect(shown?.text).toBe(
    "Einige Angaben sind ungültig. Dieses Feld ist unbekannt. 12 weitere Fehler sind nicht aufgeführt.",
  );
});
