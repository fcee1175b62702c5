import { expect, it } from "vitest";

import { retryMethodOf, hasFixedName, isMaintenance, groupKeyOf } from "./groups";

const task = (taskGroup: string, nameParameters: Record<string, unknown> = {}) => ({ taskGroup, nameParameters });
const STARTABLE = ["cleanup:sessions", "verify:content"];

it("maintenance can be started again", () => {
  expect(retryMethodOf(task("verify:content"), STARTABLE)).toEqual({ by: "start" });
});

it("imports link to where they are started", () => {
  expect(retryMethodOf(task("import:game"), STARTABLE)).toMatchObject({ by: "place", to: "/admin/import" });
});

it("what concerns one game links to that game", () => {
  const failed = task("import:version", { game: "Doom", version: "1.1" });
  expect(retryMethodOf(failed, STARTABLE)).toMatchObject({ to: { path: "/admin/games", query: { q: "Doom" } } });
});

it("tasks that repeat themselves need no retry", () => {
  expect(retryMethodOf(task("patch:version"), STARTABLE)).toBeNull();
});

it("some types have a fixed name", () => {
  expect(["plan:import", "cleanup:tasks", "import:game"].map(hasFixedName)).toEqual([true, true, false]);
});

it("known types are translated", () => {
  expect(groupKeyOf("import:version")).toBe("import-version");
  expect(groupKeyOf("brew:coffee")).toBeNull();
});

it("maintenance is distinguished from tasks of a game", () => {
  expect(["cleanup:tasks", "verify:content", "verify:version"].map(isMaintenance)).toEqual([true, true, false]);
});
