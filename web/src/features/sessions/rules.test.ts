import { expect, it } from "vitest";

import { localPath } from "./rules";

it.each(["/", "/games/7?tab=versions#news", "/library"])("accepts a path on this server: %s", (wanted) => {
  expect(localPath(wanted)).toBe(wanted);
});

it.each([
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/.//evil.example",
  "/..//evil.example",
  "//here.invalid//evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "//",
  "//[",
  "/\\:x",
  "",
  null,
  ["/library"],
])("rejects anything else: %s", (wanted) => {
  expect(localPath(wanted)).toBe("/");
});
