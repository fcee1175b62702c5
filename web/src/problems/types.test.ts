import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import german from "./locales/de.json";

// These never reach a page: they occur on devices, at the start of the service, or in commands.
const ELSEWHERE = [
  "address-in-use",
  "admin-needed",
  "backup-damaged",
  "backup-too-new",
  "backup-unreadable",
  "base-not-newest",
  "capability-not-allowed",
  "content-replaced",
  "copy-failed",
  "data-folder-unusable",
  "database-in-use",
  "destination-not-empty",
  "drop-chunk-unknown",
  "drop-slot-unknown",
  "drop-version-unknown",
  "dump-damaged",
  "events-gone",
  "export-damaged",
  "export-folder-unwritable",
  "export-folder-used",
  "export-unknown",
  "identity-provider-error",
  "invalid-capabilities",
  "invalid-chunk-index",
  "invalid-chunk-request",
  "invalid-client-id",
  "invalid-database-url",
  "invalid-download-context",
  "invalid-drop-game",
  "invalid-drop-platform",
  "invalid-game-or-version",
  "invalid-handshake-token",
  "invalid-nonce-signature",
  "invalid-objects-url",
  "invalid-slot-index",
  "mapping-invalid",
  "move-failed",
  "move-running",
  "news-feed-unknown",
  "no-backup",
  "no-version-for-lutris",
  "nonce-expired",
  "nothing-moved",
  "object-not-moved",
  "older-release-running",
  "other-database-kind",
  "out-of-save-slots",
  "restore-interrupted",
  "play-session-in-future",
  "play-session-unknown",
  "same-database",
  "same-storage",
  "save-changed",
  "save-lost",
  "schema-unknown",
  "secret-key-unusable",
  "saves-unknown",
  "settings-unusable",
  "several-sockets",
  "slots-exhausted",
  "source-unreadable",
  "source-unsupported",
  "source-url-invalid",
  "too-many-event-streams",
  "too-many-play-sessions",
  "unapproved-client-id",
  "unknown-drop-file",
];

const codes = [...readFileSync("../docs/errors.md", "utf8").matchAll(/^\| `([^`]+)`/gm)].map(([, code = ""]) => code);
const met = codes.filter((code) => !code.includes("_") && !ELSEWHERE.includes(code));

test("every problem that a page can show has a German translation, and no other has", () => {
  expect(Object.keys(german.types).sort()).toEqual(met.sort());
});
