import { ref } from "vue";
import { expect, test } from "vitest";

import { useNewPassword } from "./newPassword";

test("a short password is refused at once", async () => {
  const { fault, check } = useNewPassword("thirteen char");
  expect(fault.value).toBe("rule");
  expect(await check()).toBe(false);
});

test("a weak password is refused once it has been checked", async () => {
  const password = ref("passwordpassword");
  const { fault, check } = useNewPassword(password);
  expect(fault.value).toBeNull();
  expect(await check()).toBe(false);
  expect(fault.value).toBe("weak");
  password.value = "correct horse battery";
  expect(fault.value).toBeNull();
  expect(await check()).toBe(true);
});

test("what others know about the owner and the service makes a password weak", async () => {
  expect(await useNewPassword("lovelacelovelace", ["ada.lovelace@example.org"]).check()).toBe(false);
  expect(await useNewPassword("playdockplaydock").check()).toBe(false);
});

test("a password that changed while it was checked may not be sent yet", async () => {
  const password = ref("correct horse battery");
  const { check } = useNewPassword(password);
  const checked = check();
  password.value = "passwordpassword";
  expect(await checked).toBe(false);
});
