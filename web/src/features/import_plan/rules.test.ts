import { expect, test } from "vitest";

import type { CandidateResponse, PlanRowResponse } from "@/api";
import { matchByName, matchOfCandidate } from "@/features/game_import/matches";

import {
  canBeVersion,
  chunksOf,
  distinct,
  gameOf,
  gamesFor,
  numbered,
  programOf,
  sharedRemarks,
  versionRemark,
  versionsOf,
  withProgram,
} from "./rules";

function candidate(id: string, name: string): CandidateResponse {
  return {
    id,
    name,
    sourceId: "Steam",
    sourceName: "Steam",
    year: 0,
    icon: "",
    description: "",
    confidence: 0.5,
    reasons: [],
  };
}

const HELPLESS = {
  version: "1.1",
  label: "",
  platform: "",
  onlySetup: false,
  launch: "",
  setup: "",
  setupArgs: "",
  match: 0,
  remark: "Nothing starts it.",
  remarkCode: "no-program-found",
  remarkParameters: {},
};
const READY = {
  version: "1.0",
  label: "",
  platform: "Linux",
  onlySetup: false,
  launch: "doom",
  setup: "",
  setupArgs: "",
  match: 1,
  remark: "",
  remarkCode: null,
  remarkParameters: {},
};
const ROW: PlanRowResponse = {
  id: "row",
  library: "library",
  game: "Doom",
  title: "Doom",
  certain: false,
  confidence: 0.5,
  clues: [],
  candidates: [candidate("1", "Doom"), candidate("2", "Doom II")],
  versions: [READY, HELPLESS],
  remark: "",
  versionOf: null,
  leftOut: null,
  remarks: [],
  computed: "2026-11-20T12:00:00.000Z",
};
const SECOND = matchOfCandidate(candidate("2", "Doom II"));

test("an undecided row uses its most likely candidate", () => {
  expect(gameOf(ROW, undefined)?.name).toBe("Doom");
});

test("a row can be set to no metadata", () => {
  expect(gameOf(ROW, { game: null })).toBeNull();
});

test("a searched game is added to the candidates, without duplicates", () => {
  expect(gamesFor(ROW, { game: matchByName("My Doom") }).map((game) => game.name)).toEqual([
    "Doom",
    "Doom II",
    "My Doom",
  ]);
  expect(gamesFor(ROW, { game: SECOND })).toHaveLength(2);
});

test("versions that need review are excluded until decided", () => {
  expect(versionsOf(ROW, undefined).map((version) => version.version)).toEqual(["1.0"]);
});

test.each([
  ["2", "Doom II"],
  ["3", undefined],
  ["0", undefined],
  ["12", undefined],
  ["x", undefined],
])("the key %s selects %s", (key, name) => {
  expect(numbered(gamesFor(ROW, undefined), key)?.name).toBe(name);
});

test("equal clues are shown once, ids first", () => {
  const clues = [
    { kind: "Name", source: "folder name", value: "Doom", detail: "" },
    { kind: "Name", source: "version resource", value: "DOOM", detail: "" },
    { kind: "ID", source: "Steam", value: "1", detail: "" },
  ];
  expect(distinct(clues).map((clue) => clue.source)).toEqual(["Steam", "folder name"]);
});

test("the program of an installer is its setup, and nothing is launched", () => {
  const version = withProgram({ version: "1.0", platform: "Windows", onlySetup: true, launch: "a.exe" }, "setup.exe");
  expect(version).toMatchObject({ launch: "", setup: "setup.exe" });
  expect(programOf(version)).toBe("setup.exe");
});

test("splits a selection into as many imports as it needs", () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunksOf([], 2)).toEqual([]);
});

test("a row says why no version of it can be imported, unless one was chosen", () => {
  expect(versionRemark(ROW, undefined)).toBeUndefined();
  const helpless = { ...ROW, versions: [HELPLESS] };
  expect(versionRemark(helpless, undefined)).toMatchObject({ text: "Nothing starts it.", code: "no-program-found" });
  expect(versionRemark(helpless, { versions: [{ version: "1.1", platform: "Windows" }] })).toBeUndefined();
});

test("a remark of several rows is shown once, one about a folder is not", () => {
  const unavailable = { text: "Steam did not respond in time.", code: "server-timeout", parameters: {} };
  const own = { text: "It cannot be read.", code: "cannot-be-read", parameters: {} };
  const taken = { text: "The folder Doom is the same game.", code: "taken-by-folder", parameters: {} };
  const rows = [{ remarks: [unavailable, taken] }, { remarks: [unavailable] }, { remarks: [own, taken] }];
  expect(sharedRemarks(rows)).toEqual([unavailable]);
  const beside = { text: "The store has Doom already.", code: "name-in-store-beside", parameters: {} };
  expect(sharedRemarks([{ remarks: [beside] }, { remarks: [beside] }])).toEqual([]);
});

test("a folder that is one version can be added to a game", () => {
  const whole = { ...HELPLESS, version: "default" };
  expect(canBeVersion({ ...ROW, versions: [whole] })).toBe(true);
  expect(canBeVersion({ ...ROW, versions: [HELPLESS] })).toBe(false);
  expect(canBeVersion({ ...ROW, versions: [] })).toBe(false);
  expect(canBeVersion({ ...ROW, versions: [whole, HELPLESS] })).toBe(false);
});
