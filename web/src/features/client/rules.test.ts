import { describe, expect, test } from "vitest";

import type { AgentState, InstalledGame, Job } from "@/api/agent";

import {
  isBusy,
  nextStep,
  notesOfUpdate,
  overallPercent,
  parseEnvironment,
  parseRate,
  percentOf,
  writeEnvironment,
} from "./rules";

const VERSION = { id: "v1", name: "1.0", platform: "Linux", installedSize: 1 } as const;
const GAME: InstalledGame = {
  game: "doom",
  name: "Doom",
  folder: "/games/Doom",
  state: "installed",
  version: VERSION,
  newest: null,
  problem: "",
};
const JOB: Job = {
  id: "1",
  kind: "install",
  game: { id: "doom", name: "Doom" },
  state: "running",
  automatic: false,
  problem: null,
  checked: null,
  progress: { phase: "fetch", done: 25, total: 100, speed: 5, left: 15 },
};

function stateOf(parts: Partial<AgentState>): AgentState {
  return {
    server: "",
    platform: "Linux",
    runs: ["Linux"],
    online: true,
    games: [],
    jobs: [],
    hold: null,
    running: [],
    starting: [],
    played: [],
    launchProblems: [],
    version: "1.0.0",
    clientUpdate: { phase: "none", version: null, problem: null, failed: null, manual: false },
    settings: {
      limitRate: null,
      pauseWhilePlaying: true,
      hours: null,
      automaticUpdates: true,
      updateClient: true,
      automaticUpdatesOf: {},
    },
    folders: [],
    ...parts,
  };
}

describe("the next step for a game", () => {
  test.each([
    ["install", {}],
    ["busy", { jobs: [JOB] }],
    ["busy", { jobs: [{ ...JOB, state: "paused" as const }] }],
    ["retry", { jobs: [{ ...JOB, state: "failed" as const }] }],
    ["resume", { games: [{ ...GAME, state: "unfinished" as const }] }],
    ["retry", { games: [{ ...GAME, state: "unfinished" as const }], jobs: [{ ...JOB, state: "failed" as const }] }],
    ["lost", { games: [{ ...GAME, state: "missing" as const }] }],
    ["play", { games: [GAME] }],
    ["play", { games: [GAME], jobs: [{ ...JOB, state: "failed" as const }] }],
    ["play", { games: [GAME], jobs: [{ ...JOB, state: "done" as const }] }],
    ["update", { games: [{ ...GAME, newest: VERSION }] }],
    ["starting", { games: [GAME], starting: ["doom"] }],
    ["playing", { games: [{ ...GAME, newest: VERSION }], running: [{ game: "doom", started: "" }] }],
  ])("is to %s", (step, parts) => {
    expect(nextStep(stateOf(parts), "doom").step).toBe(step);
  });

  test("does not depend on other games", () => {
    expect(nextStep(stateOf({ games: [GAME], jobs: [JOB] }), "quake").step).toBe("install");
  });
});

describe("progress", () => {
  test("is unknown without a total", () => {
    expect(percentOf(JOB)).toBe(25);
    expect(percentOf({ ...JOB, progress: null })).toBeNull();
  });

  test("of all jobs counts those that wait", () => {
    expect(overallPercent([JOB, { ...JOB, state: "waiting", progress: null }, { ...JOB, state: "done" }])).toBe(12.5);
    expect(overallPercent([])).toBe(0);
  });
});

test("environment variables are lines", () => {
  const text = "LANG=de\nOPTIONS=a=b";
  expect(parseEnvironment(`\n${text}\n  \n`)).toEqual({ LANG: "de", OPTIONS: "a=b" });
  expect(writeEnvironment(parseEnvironment(text))).toBe(text);
});

test.each([
  ["", null],
  [" ", null],
  ["2", 2_000_000],
  ["1,5", 1_500_000],
  ["0.001", 1000],
  ["0", undefined],
  ["-1", undefined],
  ["fast", undefined],
])("the rate %j is %j", (text, rate) => {
  expect(parseRate(text)).toBe(rate);
});

test.each<[Partial<AgentState>, boolean]>([
  [{}, false],
  [{ jobs: [{ ...JOB, state: "waiting" }] }, false],
  [{ jobs: [{ ...JOB, state: "running" }] }, true],
  [{ running: [{ game: "doom", started: "2026-01-01T00:00:00Z" }] }, true],
  [{ starting: ["doom"] }, true],
])("the app is not restarted during games and jobs: %j", (changes, expected) => {
  expect(isBusy(stateOf(changes))).toBe(expected);
});

test.each([
  ["1", "3", ["3", "2"]],
  ["2", "3", ["3"]],
  ["gone", "3", ["3"]],
  ["3", "new", ["new"]],
])("an update from %s to %s brings the release notes %j", (installed, newest, expected) => {
  const versions = ["1", "2", "other", "3"].map((id) => ({
    id,
    platform: id === "other" ? "macOS" : VERSION.platform,
  }));
  const articles = ["new", "3", "other", "2", null, "1"].map((versionId) => ({ versionId }));
  const at = (id: string) => ({ ...VERSION, id });
  const found = notesOfUpdate(articles, versions, { version: at(installed), newest: at(newest) });
  expect(found.map(({ versionId }) => versionId)).toEqual(expected);
});
