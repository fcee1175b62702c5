import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import german from "./locales/de.json";

// Their details contain a reason that only the service knows, so they are not translated.
const WITH_REASON = ["content-differs", "game-folder-unreadable", "library-unavailable", "version-unusable"];
// These never reach a page: they occur on devices or at the start of the service.
const ELSEWHERE = ["address-in-use", "identity-provider-error", "schema-unknown", "settings-unusable"];

const codes = [...readFileSync("../docs/errors.md", "utf8").matchAll(/^\| `([^`]+)`/gm)].map(([, code = ""]) => code);
const met = codes.filter((code) => !code.includes("_") && ![...WITH_REASON, ...ELSEWHERE].includes(code));

test("every problem that a page can show has a German translation, and no other has", () => {
  expect(Object.keys(german.types).sort()).toEqual(met.sort());
});
