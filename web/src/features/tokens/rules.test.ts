import { expect, test } from "vitest";

import { expiryOf, grouped, lifetimesUpTo, readPayload, sorted } from "./rules";

function encoded(value: unknown): string {
  const bytes = new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  return btoa(String.fromCharCode(...bytes));
}
const SUGGESTION = { name: "Größe ÿ>?", acls: ["user:read", "user:store:read"] };

test("a suggestion is read from both base64 alphabets, with or without padding", () => {
  const standard = encoded(SUGGESTION);
  for (const payload of [standard, standard.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")]) {
    expect(readPayload(payload)).toEqual(SUGGESTION);
  }
});

test("a space stands for a plus sign, as in URLs", () => {
  expect(readPayload(encoded(SUGGESTION).replaceAll("+", " "))).toEqual(SUGGESTION);
});

test("invalid input is null", () => {
  const nonsense = [null, [], 7, {}, { name: 7, acls: [] }, { name: "x", acls: "user:read" }, { name: "x", acls: [7] }];
  for (const said of nonsense) expect(readPayload(encoded(said)), JSON.stringify(said)).toBeNull();
  for (const payload of ["", "%%%", "é", encoded("{"), btoa("\xff\xfe")])
    expect(readPayload(payload), payload).toBeNull();
});

test("a long name is cut", () => {
  expect(readPayload(encoded({ name: "x".repeat(500), acls: [] }))?.name).toHaveLength(128);
});

test("unknown permissions are separated, without duplicates", () => {
  const wanted = ["user:read", "toString", "user:fly", "user:read", "user:fly"];
  expect(sorted(wanted, { "user:read": "Read." })).toEqual({ known: ["user:read"], unknown: ["toString", "user:fly"] });
});

test("every permission is in exactly one group, and those for administrators are separate", () => {
  const groups = grouped(["user:read", "user:store:read", "system:game:read", "system:new:thing", "odd"]);
  expect(groups.map(({ name, isSystem }) => [name, isSystem])).toEqual([
    ["store", false],
    ["account", false],
    ["games", true],
    ["operation", true],
    ["other", false],
  ]);
});

test("a token expires after the selected lifetime", () => {
  expect(expiryOf("week", new Date("2026-01-01T00:00:00Z"))).toBe("2026-01-08T00:00:00.000Z");
  expect(expiryOf("max", new Date())).toBeNull();
});

test("only lifetimes that the server allows are offered, and always its maximum", () => {
  expect(lifetimesUpTo(1000)).toEqual(["week", "month", "quarter", "year", "max"]);
  expect(lifetimesUpTo(365)).toEqual(["week", "month", "quarter", "max"]);
  expect(lifetimesUpTo(1)).toEqual(["max"]);
});
