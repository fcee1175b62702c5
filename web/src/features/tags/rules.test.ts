import { expect, test } from "vitest";

import type { TagAnswer } from "@/api";

import { matching } from "./rules";

const tag = (name: string, kind: TagAnswer["kind"]): TagAnswer => ({ id: name, name, kind, games: 0, created: "" });
const TAGS = [tag("Role-playing", "genre"), tag("Dark fantasy", "theme"), tag("Fantasy", "theme")];

test("words are found in any case and order", () => {
  expect(matching(TAGS, "FANTASY dark", "").map((one) => one.name)).toEqual(["Dark fantasy"]);
});

test("a kind narrows", () => {
  expect(matching(TAGS, "a", "genre").map((one) => one.name)).toEqual(["Role-playing"]);
});

test("nothing wanted is everything", () => {
  expect(matching(TAGS, "", "")).toHaveLength(3);
});
