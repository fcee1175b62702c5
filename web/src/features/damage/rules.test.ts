import { expect, test } from "vitest";

import type { DamagedFile, FileProblem } from "@/api";

import { grouped, isDamaged, knownSince } from "./rules";

const FILES: DamagedFile[] = [
  { path: "a", fault: "changed", found: "2026-11-03T00:00:00.000Z" },
  { path: "b", fault: "missing", found: "2026-11-02T00:00:00.000Z" },
  { path: "c", fault: "changed", found: "2026-11-04T00:00:00.000Z" },
];

test("files are grouped by kind of damage, worst first", () => {
  expect(grouped(FILES)).toEqual([
    { fault: "missing", paths: ["b"] },
    { fault: "changed", paths: ["a", "c"] },
  ]);
});

test("damage dates from its first file", () => {
  expect(knownSince(FILES)).toBe("2026-11-02T00:00:00.000Z");
});

test("counts added files as no damage", () => {
  const file = (fault: FileProblem): DamagedFile => ({ path: fault, fault, found: "2026-01-02T00:00:00Z" });
  expect(isDamaged({ files: [file("added")] })).toBe(false);
  expect(isDamaged({ files: [file("added"), file("rot")] })).toBe(true);
});
