import { expect, test } from "vitest";

import type { RunRowResponse } from "@/api";

import { inOrder, rowStatusOf } from "./rules";

function row(game: string, gameId: string | null, fault: string | null): RunRowResponse {
  return { library: "library", game, gameId, fault, faultCode: null, faultParameters: {}, done: null };
}

test.each([
  [row("a", null, null), "waiting"],
  [row("a", "1", null), "imported"],
  [row("a", "1", "1.0: cannot be read"), "partly"],
  [row("a", null, "gone"), "failed"],
])("a row has a state", (given, status) => {
  expect(rowStatusOf(given)).toBe(status);
});

test("rows that need review come first, and the order is kept otherwise", () => {
  const rows = [row("b", "1", null), row("a", "2", null), row("c", null, null), row("d", null, "gone")];
  expect(inOrder(rows).map((each) => each.game)).toEqual(["d", "c", "b", "a"]);
});
