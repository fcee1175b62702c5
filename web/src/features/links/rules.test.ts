import { expect, test } from "vitest";

import { readTarget } from "./rules";

test("the target of a link is read from its path", () => {
  expect(readTarget("/api/v1/versions/7/archive.zip")).toEqual({ kind: "archive", file: "" });
  expect(readTarget("/api/v1/versions/7/content")).toEqual({ kind: "content", file: "" });
});

test("a file keeps its folders and special characters", () => {
  expect(readTarget("/api/v1/versions/7/files/data/archive.zip")).toEqual({ kind: "file", file: "data/archive.zip" });
  expect(readTarget("/api/v1/versions/7/files/a\nb")).toEqual({ kind: "file", file: "a\nb" });
});
