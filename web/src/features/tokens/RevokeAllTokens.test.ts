import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { mount } from "@vue/test-utils";
import { expect, test } from "vitest";
import { createI18n } from "vue-i18n";

import { pendingQuestion } from "@/kit/confirm";

import sentences from "./locales/en.json";
import RevokeAllTokens from "./RevokeAllTokens.vue";

const i18n = createI18n({ legacy: false, locale: "en", messages: { en: { tokens: sentences } }, missingWarn: false });

test.each([
  [{}, "Revoke all API tokens?"],
  [{ user: { id: "u1", name: "Ada" } }, "Revoke all API tokens of Ada?"],
])("the question says whose tokens are revoked: %o", async (props, title) => {
  const plugins = [i18n, [VueQueryPlugin, { queryClient: new QueryClient() }] as [typeof VueQueryPlugin, object]];
  const button = mount(RevokeAllTokens, { props, global: { plugins } });
  await button.trigger("click");
  expect(pendingQuestion.value?.title).toBe(title);
  pendingQuestion.value?.answer(null);
  button.unmount();
});
