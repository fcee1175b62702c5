import { expect, test } from "vitest";

import type { LaunchGuessResponse } from "@/api";

import { bodyOf, likeliestPlatform, programs, type VersionDraft, withOnlySetup } from "./rules";

const GUESSES: LaunchGuessResponse[] = [
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

test("suggestions are programs of the platform, the most likely first", () => {
  const names = programs(GUESSES, { platform: "Windows", typed: "" }).map((guess) => guess.filename);
  expect(names).toEqual(["bin/Doom.exe", "setup.exe"]);
});

test("typing filters them, ignoring case", () => {
  expect(programs(GUESSES, { platform: "Windows", typed: "doom" })).toHaveLength(1);
});

test("the platform defaults to that of the most likely program", () => {
  expect(likeliestPlatform(GUESSES.slice(1))).toBe("Linux");
});

test("the platform defaults to Windows without programs", () => {
  expect(likeliestPlatform([])).toBe("Windows");
});

test("arguments without a setup program are not sent", () => {
  expect(bodyOf("1", "1.0", DRAFT)).toMatchObject({
    launch: "bin/Doom.exe",
    launchArgs: "-fast",
    setupArgs: "",
    compatId: null,
  });
});

test("an installer has no launch program", () => {
  const body = bodyOf("1", "1.0", { ...DRAFT, onlySetup: true, setup: "setup.exe" });
  expect(body).toMatchObject({ launch: "", launchArgs: "", setup: "setup.exe", setupArgs: "/quiet" });
});

test("the platform of a delta is one of its possible bases", () => {
  expect(likeliestPlatform([], ["Linux", "Windows"])).toBe("Linux");
  expect(likeliestPlatform(GUESSES, ["Linux"])).toBe("Linux");
  expect(likeliestPlatform(GUESSES, ["macOS"])).toBe("macOS");
  expect(likeliestPlatform(GUESSES, ["Linux", "Windows"])).toBe("Windows");
  expect(likeliestPlatform(GUESSES, [])).toBe("Windows");
});

test("an installer keeps the program that was found, and a version that is launched does too", () => {
  const installer = withOnlySetup(DRAFT, true);
  expect(bodyOf("id", "1.0", installer)).toMatchObject({ setup: "bin/Doom.exe", launch: "" });
  expect(withOnlySetup({ ...installer, launch: "" }, false).launch).toBe(DRAFT.launch);
  expect(withOnlySetup({ ...DRAFT, setup: "setup.exe" }, true).setup).toBe("setup.exe");
});
