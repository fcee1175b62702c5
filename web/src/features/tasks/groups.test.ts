import { expect, it } from "vitest";

import { againOf, isCalledAlike, isMaintenance, wordsOf } from "./groups";

const STARTABLE = ["cleanup:sessions", "verify:content"];

it("starts maintenance again by its group", () => {
  expect(againOf("verify:content", STARTABLE)).toEqual({ by: "start" });
});

it("leads to where an import is begun anew", () => {
  expect(againOf("import:game", STARTABLE)).toMatchObject({ by: "place", to: "/admin/import" });
});

it("leaves alone what is made again by itself", () => {
  expect(againOf("patch:version", STARTABLE)).toBeNull();
});

it("knows what has one name every time", () => {
  expect(["plan:import", "cleanup:tasks", "import:game"].map(isCalledAlike)).toEqual([true, true, false]);
});

it("has words for the groups it knows", () => {
  expect(wordsOf("import:version")).toBe("import-version");
  expect(wordsOf("brew:coffee")).toBeNull();
});

it("tells maintenance from what is done to a game", () => {
  expect(["cleanup:tasks", "verify:content", "verify:version"].map(isMaintenance)).toEqual([true, true, false]);
});
