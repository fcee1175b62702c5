import { describe, expect, it } from "vitest";

import { byUrgency, choresOf, subjectOf, takenOf } from "./rules";

it("tells what is broken before what is well", () => {
  const checks = (["good", "bad", "warning"] as const).map((state) => ({ name: state, state, detail: "" }));
  expect(byUrgency(checks).map((check) => check.state)).toEqual(["bad", "warning", "good"]);
});

describe("what a check is about", () => {
  it("is known by its name", () => {
    expect(subjectOf({ name: "Versions" })).toEqual({ words: "versions", named: "", to: "/admin/damage" });
  });

  it("may be one of several", () => {
    expect(subjectOf({ name: "Library Old disk" })).toMatchObject({ words: "library", named: "Old disk" });
    expect(subjectOf({ name: "Metadata provider IGDB" })).toMatchObject({ words: "provider", named: "IGDB" });
  });

  it("is called as the server calls it if it is new", () => {
    expect(subjectOf({ name: "Moon phase" })).toEqual({ words: null, named: "Moon phase", to: null });
  });
});

describe("what there is to do", () => {
  const calm = { libraries: 1, plan: { certain: 0, doubtful: 0 }, damaged: 0, invitations: 0, users: 2 };

  it("is nothing when all is done", () => {
    expect(choresOf(calm)).toEqual([]);
  });

  it("is nothing while nothing is known", () => {
    const unknown = {
      libraries: undefined,
      plan: undefined,
      damaged: undefined,
      invitations: undefined,
      users: undefined,
    };
    expect(choresOf(unknown)).toEqual([]);
  });

  it("begins with a library on an empty server", () => {
    expect(choresOf({ ...calm, libraries: 0, users: 1 }).map((chore) => chore.words)).toEqual(["library", "invite"]);
  });

  it("counts certain and doubtful folders apart", () => {
    const chores = choresOf({ ...calm, plan: { certain: 3, doubtful: 2 }, invitations: 1 });
    expect(chores.map(({ words, count }) => [words, count])).toEqual([
      ["certain", 3],
      ["doubtful", 2],
      ["invitations", 1],
    ]);
  });
});

it("tells how full a disk is of games, if that can be told", () => {
  expect(takenOf({ size: 25, free: 75 })).toBe(25);
  expect(takenOf({ size: 25, free: null })).toBeNull();
  expect(takenOf({ size: 0, free: 0 })).toBeNull();
});
