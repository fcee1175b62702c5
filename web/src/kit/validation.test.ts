import { expect, test } from "vitest";

import { isEmail, isUsername } from "./validation";

test("a user name has 3 to 32 letters and digits", () => {
  for (const name of ["ada", "A1b", "x".repeat(32)]) expect(isUsername(name), name).toBe(true);
  for (const name of ["", "ab", "x".repeat(33), "ada lovelace", "ada.l", "adä", "ada\n"])
    expect(isUsername(name), name).toBe(false);
});

test("an email address has the form x@y.z", () => {
  for (const address of ["a@b.c", "ada.l+x@mail.example.org", "ä@ö.de"]) expect(isEmail(address), address).toBe(true);
  for (const address of ["", "a@b", "@b.c", "a@b.", "a@.c", "a@b..c", "a b@c.d", "a@b@c.d"]) {
    expect(isEmail(address), address).toBe(false);
  }
});
