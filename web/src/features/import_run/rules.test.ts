import { expect, test } from "vitest";

import type { RunRowAnswer } from "@/api";

import { inOrder, standingOf } from "./rules";

function row(game: string, gameId: string | null, fault: string | null): RunRowAnswer {
  return { library: "library", game, gameId, fault, done: null };
}

test.each([
  [row("a", null, null), "waiting"],
  [row("a", "1", null), "imported"],
  [row("a", "1", "1.0: cannot be read"), "partly"],
  [row("a", null, "gone"), "failed"],
])("a row stands as it is", (given, standing) => {
  expect(standingOf(given)).toBe(standing);
});

test("what needs a look comes first, and others keep their order", () => {
  const rows = [row("b", "1", null), row("a", "2", null), row("c", null, null), row("d", null, "gone")];
  expect(inOrder(rows).map((each) => each.game)).toEqual(["d", "c", "b", "a"]);
});
