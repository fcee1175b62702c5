import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import german from "./locales/de.json";

// Their sentences carry a reason that the service alone knows, so they stay in its words.
const WITH_REASON = ["content-differs", "game-folder-unreadable", "library-offline", "version-unusable"];
// Nobody meets these on a page: they are told to devices, or to whoever starts the service.
const ELSEWHERE = ["address-in-use", "provider-fault", "settings-unusable"];

const codes = [...readFileSync("../docs/errors.md", "utf8").matchAll(/^\| `([^`]+)`/gm)].map(([, code = ""]) => code);
const met = codes.filter((code) => !code.includes("_") && ![...WITH_REASON, ...ELSEWHERE].includes(code));

test("every problem that a page can meet has its German sentence, and there are no others", () => {
  expect(Object.keys(german.types).sort()).toEqual(met.sort());
});
