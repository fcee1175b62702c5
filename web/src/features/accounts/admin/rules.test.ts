import { describe, expect, it } from "vitest";

import type { UserResponse } from "@/api";

import { isLastAdmin, limitOf, valueOf } from "./rules";

const MEGABYTE = 1_000_000;
const MAX_RATE = 10 ** 15;

function user(name: string, changes: Partial<UserResponse> = {}): UserResponse {
  return {
    id: name,
    username: name,
    displayName: name,
    email: `${name}@example.org`,
    profilePictureObjectId: "",
    admin: false,
    enabled: true,
    ...changes,
  };
}
const [ada, linus] = [user("ada", { admin: true }), user("linus")];

describe("isLastAdmin", () => {
  it("is true for the only enabled admin", () => {
    expect(isLastAdmin(ada, [ada, linus])).toBe(true);
    expect(isLastAdmin(ada, [ada, user("bob", { admin: true })])).toBe(false);
  });

  it("ignores disabled admins", () => {
    expect(isLastAdmin(ada, [ada, user("bob", { admin: true, enabled: false })])).toBe(true);
  });

  it("is false for users who are not admins", () => {
    expect(isLastAdmin(linus, [linus])).toBe(false);
  });
});

describe("limits", () => {
  it.each([null, 0, 2_500_000, 10 ** 15])("survive a round trip: %s", (value) => {
    expect(valueOf(limitOf(value, MEGABYTE), MEGABYTE, MAX_RATE)).toBe(value);
  });

  it("accept a decimal comma", () => {
    expect(valueOf({ kind: "own", own: " 2,5 " }, MEGABYTE, MAX_RATE)).toBe(2_500_000);
  });

  it.each(["", "fast", "-1", "0", "1e99"])("reject invalid input: %s", (own) => {
    expect(valueOf({ kind: "own", own }, MEGABYTE, MAX_RATE)).toBeUndefined();
  });
});
