import { expect, test } from "vitest";

import { installerOf, namesOfInstaller, placeOf, suggestedNames } from "./rules";

test.each([
  ["Hollow Knight v1.5.78 (GOG)", false, { game: "Hollow Knight", version: "1.5.78", ending: "" }],
  ["openttd-14.1.tar.xz", true, { game: "openttd", version: "14.1", ending: ".tar.xz" }],
  ["Portal 2", false, { game: "Portal 2", version: "1.0", ending: "" }],
  ["Left 4 Dead 2", false, { game: "Left 4 Dead 2", version: "1.0", ending: "" }],
  ["Half-Life 2 v2.zip", true, { game: "Half-Life 2", version: "2", ending: ".zip" }],
  ["Cyberpunk 2077 2.12a", false, { game: "Cyberpunk 2077", version: "2.12a", ending: "" }],
  ["OpenTTD.zip", true, { game: "OpenTTD", version: "1.0", ending: ".zip" }],
  ["Doom.zip", false, { game: "Doom.zip", version: "1.0", ending: "" }],
  ["", false, { game: "", version: "1.0", ending: "" }],
])("names are suggested for %s", (name, isArchive, names) => {
  expect(suggestedNames(name, isArchive)).toEqual(names);
});

test("an archive is a version, or a game in a library without versions", () => {
  const names = { game: " Doom ", version: "1.0", ending: ".zip" };
  expect(placeOf(names, "Filesystem")).toEqual({ game: "Doom", version: "1.0.zip" });
  expect(placeOf(names, "FlatFilesystem")).toEqual({ game: "Doom.zip", version: "" });
});

test.each([
  [["setup_doom_1.9.exe"], "setup_doom_1.9.exe"],
  [["setup_doom_1.9-1.bin", "setup_doom_1.9-2a.bin", "setup_doom_1.9.exe"], "setup_doom_1.9.exe"],
  [["Setup Doom.EXE", "setup doom-1.BIN"], "Setup Doom.EXE"],
  [["setup_doom_1.9.exe", "readme.txt"], null],
  [["setup_doom_1.9.exe", "setup_quake-1.bin"], null],
  [["doom/setup_doom_1.9.exe"], null],
  [["doom.exe"], null],
])("an installer with its parts is recognized: %s", (paths, installer) => {
  expect(installerOf(paths)).toBe(installer);
});

test("an installer keeps its name", () => {
  const names = namesOfInstaller("setup_hollow_knight_1.5.78_(64bit).exe");
  const version = "setup_hollow_knight_1.5.78_(64bit).exe";
  expect(names.game).toBe("hollow knight");
  expect(placeOf(names, "MixedFilesystem")).toEqual({ game: "hollow knight", version });
  expect(placeOf(names, "FlatFilesystem")).toEqual({ game: version, version: "" });
});

test("where a game has one folder, it keeps the version in its name", () => {
  const names = { game: "Moon Base 1.1", version: "", ending: ".zip" };
  expect(suggestedNames("Moon Base 1.1.zip", true, "FlatFilesystem")).toEqual(names);
  expect(placeOf(names, "FlatFilesystem")).toEqual({ game: "Moon Base 1.1.zip", version: "" });
});
