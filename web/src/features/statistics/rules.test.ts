import { describe, expect, it } from "vitest";

import { byUrgency, pendingActionsOf, subjectOf, usedPercentOf } from "./rules";

it("problems come first", () => {
  const checks = (["good", "bad", "warning"] as const).map((state) => ({
    name: state,
    state,
    detail: "",
    nameCode: null,
    nameParameters: {},
    detailCode: null,
    detailParameters: {},
  }));
  expect(byUrgency(checks).map((check) => check.state)).toEqual(["bad", "warning", "good"]);
});

describe("the subject of a check", () => {
  it("is found by the check's name", () => {
    expect(subjectOf({ name: "Versions" })).toEqual({ words: "versions", named: "", to: "/admin/damage" });
  });

  it("may be one of several", () => {
    expect(subjectOf({ name: "Library Old disk" })).toMatchObject({ words: "library", named: "Old disk" });
    expect(subjectOf({ name: "Metadata provider IGDB" })).toMatchObject({ words: "provider", named: "IGDB" });
  });

  it("falls back to the service's name", () => {
    expect(subjectOf({ name: "Moon phase" })).toEqual({ words: null, named: "Moon phase", to: null });
  });
});

describe("the pending actions", () => {
  const calm = {
    versions: 0,
    libraries: 1,
    plan: { certain: 0, doubtful: 0 },
    damaged: 0,
    missing: 0,
    requests: 0,
    invitations: 0,
    users: 2,
  };

  it("are empty when everything is done", () => {
    expect(pendingActionsOf(calm)).toEqual([]);
  });

  it("are empty while nothing has loaded", () => {
    const unknown = {
      libraries: undefined,
      plan: undefined,
      damaged: undefined,
      missing: undefined,
      requests: undefined,
      versions: undefined,
      invitations: undefined,
      users: undefined,
    };
    expect(pendingActionsOf(unknown)).toEqual([]);
  });

  it("start with a library on an empty server", () => {
    expect(pendingActionsOf({ ...calm, libraries: 0, users: 1 }).map((chore) => chore.words)).toEqual([
      "library",
      "invite",
    ]);
  });

  it("count the new versions of games", () => {
    expect(pendingActionsOf({ ...calm, versions: 3 })).toEqual([{ words: "versions", count: 3, to: "/admin/import" }]);
  });

  it("tell missing versions from damaged ones, and count requests", () => {
    const chores = pendingActionsOf({ ...calm, damaged: 2, missing: 1, requests: 3 });
    expect(chores.map(({ words, count, to }) => [words, count, to])).toEqual([
      ["damage", 2, "/admin/damage"],
      ["missing", 1, "/admin/damage/moved"],
      ["requests", 3, "/requests"],
    ]);
  });

  it("count recognized folders and those to review separately", () => {
    const chores = pendingActionsOf({ ...calm, plan: { certain: 3, doubtful: 2 }, invitations: 1 });
    expect(chores.map(({ words, count }) => [words, count])).toEqual([
      ["certain", 3],
      ["doubtful", 2],
      ["invitations", 1],
    ]);
  });
});

it("used space is a percentage if the free space is known", () => {
  expect(usedPercentOf({ size: 25, free: 75 })).toBe(25);
  expect(usedPercentOf({ size: 25, free: null })).toBeNull();
  expect(usedPercentOf({ size: 0, free: 0 })).toBeNull();
});
