import { expect, it } from "vitest";

import type { SettingResponse } from "@/api";

import { bySection, changesOf, chosenOf, draftOf, refreshed, textOfChosen } from "./rules";

function setting(name: string, wanted: Partial<SettingResponse> = {}): SettingResponse {
  const plain = { section: "limits", kind: "number", description: "", value: "0", default: "0", isSet: false } as const;
  const rest = { choices: [], fixedBy: null, needsRestart: false, isPending: false };
  return { name, ...plain, ...rest, fault: null, faultCode: null, faultParameters: {}, ...wanted };
}

const RATE = setting("DOWNLOAD_RATE", { value: "5", isSet: true });
const KEY = setting("GIANTBOMB_API_KEY", {
  section: "metadata",
  kind: "secret",
  value: null,
  default: "",
  isSet: true,
});
const FIXED = setting("BACKUP_TIME", { section: "backups", fixedBy: "the environment", value: "05:00" });

it("keeps what is typed when settings are saved elsewhere", () => {
  const before = [RATE, KEY, FIXED];
  const saved = [{ ...RATE, value: "9" }, KEY, { ...FIXED, value: "07:00" }];
  const typed = { ...draftOf(before), GIANTBOMB_API_KEY: "abc", DOWNLOAD_RATE: "7" };
  expect(refreshed(typed, { before, saved })).toEqual({
    DOWNLOAD_RATE: "7",
    GIANTBOMB_API_KEY: "abc",
    BACKUP_TIME: "07:00",
  });
});

it("sorts settings into sections", () => {
  expect([...bySection([RATE, KEY, FIXED]).keys()]).toEqual(["limits", "metadata", "backups"]);
});

it.each([
  [{}, [], {}],
  [{ DOWNLOAD_RATE: "7" }, [], { DOWNLOAD_RATE: "7" }],
  [{ DOWNLOAD_RATE: "" }, [], { DOWNLOAD_RATE: null }],
  [{ DOWNLOAD_RATE: "0" }, [], { DOWNLOAD_RATE: null }],
  [{ GIANTBOMB_API_KEY: " abc " }, [], { GIANTBOMB_API_KEY: "abc" }],
  [{}, ["GIANTBOMB_API_KEY"], { GIANTBOMB_API_KEY: null }],
  [{ GIANTBOMB_API_KEY: "abc" }, ["GIANTBOMB_API_KEY"], { GIANTBOMB_API_KEY: "abc" }],
  [{ BACKUP_TIME: "06:00" }, [], {}],
] as [Record<string, string>, string[], Record<string, string | null>][])(
  "sends only what has changed: %#",
  (typed, removed, changes) => {
    const settings = [RATE, KEY, FIXED];
    expect(changesOf(settings, { ...draftOf(settings), ...typed }, new Set(removed))).toEqual(changes);
  },
);

it.each([
  ["", ["Steam", "IGDB"], ""],
  ["none", [], "none"],
  [" igdb,", ["IGDB"], "IGDB"],
  ["IGDB, STEAM", ["Steam", "IGDB"], ""],
])("reads and writes lists of fixed values: %s", (text, chosen, written) => {
  const choices = ["Steam", "IGDB"];
  expect([...chosenOf(text, choices)]).toEqual(chosen);
  expect(textOfChosen(chosen, choices)).toBe(written);
});
