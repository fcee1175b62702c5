import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import german from "./locales/de.json";

// These never reach a page: they occur on devices or at the start of the service.
const ELSEWHERE = [
  "address-in-use",
  "copy-failed",
  "data-folder-unusable",
  "identity-provider-error",
  "schema-unknown",
  "secret-key-unusable",
  "settings-unusable",
];

const codes = [...readFileSync("../docs/errors.md", "utf8").matchAll(/^\| `([^`]+)`/gm)].map(([, code = ""]) => code);
const met = codes.filter((code) => !code.includes("_") && !ELSEWHERE.includes(code));

test("every problem that a page can show has a German translation, and no other has", () => {
  expect(Object.keys(german.types).sort()).toEqual(met.sort());
});
