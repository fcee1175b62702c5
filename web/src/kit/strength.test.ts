import { expect, test } from "vitest";

import { isPassword, judgePassword, lengthOf } from "./strength";

test("a password has at least 14 characters, however many bytes these are", () => {
  expect(isPassword("thirteen char")).toBe(false);
  expect(isPassword("fourteen chars")).toBe(true);
  expect(lengthOf("🦊🦊")).toBe(2);
});

test("a password has at most 1,024 bytes", () => {
  expect(isPassword("é".repeat(512))).toBe(true);
  expect(isPassword("é".repeat(512) + "x")).toBe(false);
});

test("words that have nothing to do with each other are very good, without any strange character", async () => {
  expect(await judgePassword("sommerabend fahrrad zitrone leiter", [])).toEqual({ score: 4, advice: null });
});

test("what is easy to guess is told why", async () => {
  expect((await judgePassword("aaaaaaaaaaaaaaaa", [])).advice).toBe("repeat");
  expect((await judgePassword("12345678901234", [])).advice).toBe("common");
  expect((await judgePassword("adalovelace1815", ["adalovelace"])).advice).toBe("own");
  for (const password of ["aaaaaaaaaaaaaaaa", "12345678901234"]) {
    expect((await judgePassword(password, [])).score, password).toBeLessThan(2);
  }
});

test("nothing that others know of the owner is an empty word", async () => {
  const alone = await judgePassword("sommerabend fahrrad", []);
  expect(await judgePassword("sommerabend fahrrad", ["", ""])).toEqual(alone);
});
