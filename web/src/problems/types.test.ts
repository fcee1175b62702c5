import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import german from "./locales/de.json";

// These never reach a page: they occur on devices, at the start of the service, or in commands.
const ELSEWHERE = [
  "address-in-use",
  "backup-damaged",
  "backup-too-new",
  "backup-unreadable",
  "content-replaced",
  "copy-failed",
  "data-folder-unusable",
  "database-in-use",
  "destination-not-empty",
  "dump-damaged",
  "identity-provider-error",
  "invalid-database-url",
  "move-failed",
  "no-backup",
  "older-release-running",
  "other-database-kind",
  "restore-interrupted",
  "same-database",
  "schema-unknown",
  "secret-key-unusable",
  "settings-unusable",
  "several-sockets",
];

const codes = [...readFileSync("../docs/errors.md", "utf8").matchAll(/^\| `([^`]+)`/gm)].map(([, code = ""]) => code);
const met = codes.filter((code) => !code.includes("_") && !ELSEWHERE.includes(code));

test("every problem that a page can show has a German translation, and no other has", () => {
  expect(Object.keys(german.types).sort()).toEqual(met.sort());
});
