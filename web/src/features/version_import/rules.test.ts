import { expect, test } from "vitest";

import type { GuessAnswer } from "@/api";

import { bodyOf, likeliestPlatform, programs, type VersionDraft } from "./rules";

const GUESSES: GuessAnswer[] = [
  { filename: "bin/Doom.exe", platform: "Windows", match: 0.9 },
  { filename: "doom.x86_64", platform: "Linux", match: 0.8 },
  { filename: "setup.exe", platform: "Windows", match: 0.2 },
];
const DRAFT: VersionDraft = {
  platform: "Windows",
  delta: false,
  onlySetup: false,
  launch: " bin/Doom.exe ",
  launchArgs: "-fast",
  setup: "",
  setupArgs: "/quiet",
  compatId: " ",
};

test("only programs of the platform are proposed, the likeliest first", () => {
  const names = programs(GUESSES, { platform: "Windows", typed: "" }).map((guess) => guess.filename);
  expect(names).toEqual(["bin/Doom.exe", "setup.exe"]);
});

test("typing narrows, whatever the case", () => {
  expect(programs(GUESSES, { platform: "Windows", typed: "doom" })).toHaveLength(1);
});

test("a version is taken to be for what its likeliest program runs on", () => {
  expect(likeliestPlatform(GUESSES.slice(1))).toBe("Linux");
});

test("without any program it is taken to be for Windows", () => {
  expect(likeliestPlatform([])).toBe("Windows");
});

test("arguments of a setup that there is not are not sent", () => {
  expect(bodyOf("1", "1.0", DRAFT)).toMatchObject({
    launch: "bin/Doom.exe",
    launchArgs: "-fast",
    setupArgs: "",
    compatId: null,
  });
});

test("an installer starts nothing", () => {
  const body = bodyOf("1", "1.0", { ...DRAFT, onlySetup: true, setup: "setup.exe" });
  expect(body).toMatchObject({ launch: "", launchArgs: "", setup: "setup.exe", setupArgs: "/quiet" });
});
