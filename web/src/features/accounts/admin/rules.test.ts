import { describe, expect, it } from "vitest";

import type { UserAnswer } from "@/api";

import { foundUsers, isLastAdmin, limitOf, valueOf } from "./rules";

const MEGABYTE = 1_000_000;
const MOST = 10 ** 15;

function user(name: string, changes: Partial<UserAnswer> = {}): UserAnswer {
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
const [ada, grace, linus] = [user("ada", { admin: true }), user("grace", { enabled: false }), user("linus")];

describe("users that are looked for", () => {
  const all = [ada, grace, linus];

  it("are found by any of their names", () => {
    const named = [...all, user("tove", { displayName: "Tové Jansson" })];
    expect(foundUsers(named, { typed: "jan tove", who: "all" }).map((one) => one.id)).toEqual(["tove"]);
  });

  it("are admins, or disabled, if only those are wanted", () => {
    expect(foundUsers(all, { typed: "", who: "admins" })).toEqual([ada]);
    expect(foundUsers(all, { typed: "", who: "disabled" })).toEqual([grace]);
  });
});

describe("the last admin", () => {
  it("is whoever is left", () => {
    expect(isLastAdmin(ada, [ada, linus])).toBe(true);
    expect(isLastAdmin(ada, [ada, user("bob", { admin: true })])).toBe(false);
  });

  it("is not relieved by an admin who is disabled", () => {
    expect(isLastAdmin(ada, [ada, user("bob", { admin: true, enabled: false })])).toBe(true);
  });

  it("is nobody who is none", () => {
    expect(isLastAdmin(linus, [linus])).toBe(false);
  });
});

describe("limits", () => {
  it.each([null, 0, 2_500_000, 10 ** 15])("come back as they were: %s", (value) => {
    expect(valueOf(limitOf(value, MEGABYTE), MEGABYTE, MOST)).toBe(value);
  });

  it("may be typed with a comma", () => {
    expect(valueOf({ kind: "own", own: " 2,5 " }, MEGABYTE, MOST)).toBe(2_500_000);
  });

  it.each(["", "fast", "-1", "0", "1e99"])("are no limits if they make no sense: %s", (own) => {
    expect(valueOf({ kind: "own", own }, MEGABYTE, MOST)).toBeUndefined();
  });
});
