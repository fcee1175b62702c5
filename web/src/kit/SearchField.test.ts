import { mount } from "@vue/test-utils";
import { expect, it } from "vitest";
import { createI18n } from "vue-i18n";

import SearchField from "./SearchField.vue";

const i18n = createI18n({ legacy: false, locale: "en", messages: { en: {} }, missingWarn: false, fallbackWarn: false });

it.each([true, false])("gets the focus when it appears, if that is wanted: %s", (focused) => {
  const props = { modelValue: "doom", label: "Search", focused };
  const field = mount(SearchField, { props, global: { plugins: [i18n] }, attachTo: document.body });
  expect(document.activeElement === field.get("input").element).toBe(focused);
  field.unmount();
});
