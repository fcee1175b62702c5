import { expect, test } from "vitest";

import { byHand } from "./choices";
import { choiceOf } from "./decisions";

const ROW = { id: "row" };

test("what was not decided is not sent, so that the service chooses", () => {
  expect(choiceOf(ROW, undefined)).toEqual({ id: "row" });
});

test("a row may be decided to have no metadata", () => {
  expect(choiceOf(ROW, { game: null })).toEqual({ id: "row", metadata: null });
});

test("only what tells games apart is sent of one", () => {
  expect(choiceOf(ROW, { game: byHand("Doom") }).metadata).toEqual({ id: "Doom", sourceId: "Manual", name: "Doom" });
});

test("no version at all can be decided", () => {
  expect(choiceOf(ROW, { versions: [] })).toEqual({ id: "row", versions: [] });
});
