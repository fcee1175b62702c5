import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { flushPromises, mount } from "@vue/test-utils";
import { expect, test } from "vitest";
import { createI18n } from "vue-i18n";
import { createMemoryHistory, createRouter } from "vue-router";

import { showOwnAccountQueryKey } from "@/api";
import { confirmSignIn } from "@/features/accounts/recentSignIn";
import { confirm } from "@/kit/confirm";

import App from "./App.vue";

const page = { render: () => null };
const meta = { layout: "standalone" } as const;

test.each([[null], [{ id: "bob" }]])("dialogs of the previous user are closed when the account is %o", async (next) => {
  const i18n = createI18n({ legacy: false, locale: "en", messages: {}, missingWarn: false, fallbackWarn: false });
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: "/", component: page, meta },
      { path: "/sign-in", name: "sign-in", component: page, meta },
    ],
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  queryClient.setQueryData(showOwnAccountQueryKey(), { id: "ada" } as never);
  const plugins = [i18n, router, [VueQueryPlugin, { queryClient }] as [typeof VueQueryPlugin, object]];
  const stubs = { ConfirmDialog: true, RecentSignInDialog: true };
  const app = mount(App, { global: { plugins, stubs } });
  const answers = [confirmSignIn(), confirm({ title: "", loss: "", action: "" })];

  queryClient.setQueryData(showOwnAccountQueryKey(), next as never);
  await flushPromises();

  expect(await Promise.all(answers)).toEqual([false, false]);
  app.unmount();
});
