import { flushPromises, mount } from "@vue/test-utils";
import { expect, test } from "vitest";
import { createI18n } from "vue-i18n";

import { confirmWithChoice } from "./confirm";
import ConfirmDialog from "./ConfirmDialog.vue";

const i18n = createI18n({ legacy: false, locale: "en", messages: {}, missingWarn: false, fallbackWarn: false });

test("the checkbox is part of the answer, and starts unchecked for every question", async () => {
  const dialog = mount(ConfirmDialog, { global: { plugins: [i18n] }, attachTo: document.body });
  const box = () => document.querySelector<HTMLInputElement>("input[type=checkbox]");
  const answers: unknown[] = [];
  for (const isChecked of [true, false]) {
    const asked = { title: "t", loss: "l", action: "Do", choice: "Also" };
    void confirmWithChoice(asked).then((answer) => answers.push(answer));
    await flushPromises();
    if (isChecked) box()?.click();
    await flushPromises();
    [...document.querySelectorAll("button")].find(({ textContent }) => textContent.trim() === "Do")?.click();
    await flushPromises();
  }
  expect(answers).toEqual([{ isChosen: true }, { isChosen: false }]);
  dialog.unmount();
});
