import { expect, test } from "vitest";

import { matchByName } from "./matches";
import { choiceOf } from "./decisions";

const ROW = { id: "row" };

test("undecided fields are not sent, so that the service decides", () => {
  expect(choiceOf(ROW, undefined)).toEqual({ id: "row" });
});

test("a row can be imported without metadata", () => {
  expect(choiceOf(ROW, { game: null })).toEqual({ id: "row", metadata: null });
});

test("only the identity of a game is sent", () => {
  expect(choiceOf(ROW, { game: matchByName("Doom") }).metadata).toEqual({
    id: "Doom",
    sourceId: "Manual",
    name: "Doom",
  });
});

test("a row can be imported without versions", () => {
  expect(choiceOf(ROW, { versions: [] })).toEqual({ id: "row", versions: [] });
});
