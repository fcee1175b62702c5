import { expect, test } from "vitest";

import { countCharacters, isPassword, isWeak, ratePassword } from "./passwordStrength";

test("a password has at least 14 characters, regardless of their bytes", () => {
  expect(isPassword("thirteen char")).toBe(false);
  expect(isPassword("fourteen chars")).toBe(true);
  expect(countCharacters("🦊🦊")).toBe(2);
});

test("a password has at most 1,024 bytes", () => {
  expect(isPassword("é".repeat(512))).toBe(true);
  expect(isPassword("é".repeat(512) + "x")).toBe(false);
});

test("four random words are very strong without special characters", async () => {
  expect(await ratePassword("sommerabend fahrrad zitrone leiter", [])).toEqual({ score: 4, advice: null });
});

test("weak passwords have a reason", async () => {
  expect((await ratePassword("aaaaaaaaaaaaaaaa", [])).advice).toBe("repeat");
  expect((await ratePassword("12345678901234", [])).advice).toBe("common");
  expect((await ratePassword("adalovelace1815", ["adalovelace"])).advice).toBe("own");
  for (const password of ["aaaaaaaaaaaaaaaa", "12345678901234"]) {
    expect((await ratePassword(password, [])).score, password).toBeLessThan(2);
  }
});

test("three unrelated words are not weak, and long but common passwords are", async () => {
  expect(await isWeak("correct horse battery", [])).toBe(false);
  for (const password of ["12345678901234", "passwordpassword", "playdockplaydock", "qwertyuiopasdfgh"]) {
    expect(await isWeak(password, []), password).toBe(true);
  }
});

test("empty words about the owner are ignored", async () => {
  const alone = await ratePassword("sommerabend fahrrad", []);
  expect(await ratePassword("sommerabend fahrrad", ["", ""])).toEqual(alone);
});
