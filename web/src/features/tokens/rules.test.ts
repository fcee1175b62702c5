import { expect, test } from "vitest";

import { expiryOf, grouped, readPayload, sorted } from "./rules";

function encoded(value: unknown): string {
  const bytes = new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  return btoa(String.fromCharCode(...bytes));
}
const SUGGESTION = { name: "Größe ÿ>?", acls: ["user:read", "user:store:read"] };

test("a suggestion is read in either alphabet of base64, padded or not", () => {
  const standard = encoded(SUGGESTION);
  for (const payload of [standard, standard.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")]) {
    expect(readPayload(payload)).toEqual(SUGGESTION);
  }
});

test("a plus that an address made a space is one again", () => {
  expect(readPayload(encoded(SUGGESTION).replaceAll("+", " "))).toEqual(SUGGESTION);
});

test("nonsense suggests nothing", () => {
  const nonsense = [null, [], 7, {}, { name: 7, acls: [] }, { name: "x", acls: "user:read" }, { name: "x", acls: [7] }];
  for (const said of nonsense) expect(readPayload(encoded(said)), JSON.stringify(said)).toBeNull();
  for (const payload of ["", "%%%", "é", encoded("{"), btoa("\xff\xfe")])
    expect(readPayload(payload), payload).toBeNull();
});

test("a name that is too long is cut", () => {
  expect(readPayload(encoded({ name: "x".repeat(500), acls: [] }))?.name).toHaveLength(128);
});

test("rights that nobody knows are told apart, and named once", () => {
  const wanted = ["user:read", "toString", "user:fly", "user:read", "user:fly"];
  expect(sorted(wanted, { "user:read": "Read." })).toEqual({ known: ["user:read"], unknown: ["toString", "user:fly"] });
});

test("every right is in exactly one group, and those of administrators stand apart", () => {
  const groups = grouped(["user:read", "user:store:read", "system:game:read", "system:new:thing", "odd"]);
  expect(groups.map(({ name, isSystem }) => [name, isSystem])).toEqual([
    ["store", false],
    ["account", false],
    ["games", true],
    ["operation", true],
    ["other", false],
  ]);
});

test("a token lasts as long as was chosen", () => {
  expect(expiryOf("week", new Date("2026-01-01T00:00:00Z"))).toBe("2026-01-08T00:00:00.000Z");
  expect(expiryOf("never", new Date())).toBeNull();
});
