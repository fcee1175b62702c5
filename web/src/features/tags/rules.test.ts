import { expect, test } from "vitest";

import type { TagResponse } from "@/api";

import { matching } from "./rules";

const tag = (name: string, kind: TagResponse["kind"]): TagResponse => ({ id: name, name, kind, games: 0, created: "" });
const TAGS = [tag("Role-playing", "genre"), tag("Dark fantasy", "theme"), tag("Fantasy", "theme")];

test("search ignores case and order", () => {
  expect(matching(TAGS, "FANTASY dark", "").map((one) => one.name)).toEqual(["Dark fantasy"]);
});

test("tags are filtered by kind", () => {
  expect(matching(TAGS, "a", "genre").map((one) => one.name)).toEqual(["Role-playing"]);
});

test("an empty filter matches all tags", () => {
  expect(matching(TAGS, "", "")).toHaveLength(3);
});
