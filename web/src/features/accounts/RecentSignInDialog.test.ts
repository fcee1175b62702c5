import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { mount } from "@vue/test-utils";
import { afterEach, expect, test, vi } from "vitest";
import { createI18n } from "vue-i18n";
import { createRouter, createWebHistory } from "vue-router";

import { client } from "@/api/generated/client.gen";

import sentences from "./locales/en.json";
import RecentSignInDialog from "./RecentSignInDialog.vue";

const i18n = createI18n({ legacy: false, locale: "en", messages: { en: { accounts: sentences } }, missingWarn: false });
const router = createRouter({ history: createWebHistory(), routes: [{ path: "/", component: RecentSignInDialog }] });
let stop: (() => void) | undefined;

/** Show the dialog to a user with these sign-in methods on a server where some are enabled; null: it fails. */
async function shown(own: readonly string[], enabled: readonly string[] | null): Promise<string> {
  client.setConfig({ baseUrl: "http://here.example" });
  vi.stubGlobal("fetch", (request: Request) => {
    const path = new URL(request.url).pathname;
    if (path.startsWith("/api/v1/user/mechanism")) return Promise.resolve(Response.json(own.map((kind) => ({ kind }))));
    if (path === "/api/v1/user") return Promise.resolve(Response.json(null));
    if (enabled) return Promise.resolve(Response.json(enabled));
    return Promise.resolve(Response.json({ type: "x", detail: "Down.", status: 500 }, { status: 500 }));
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const plugins = [i18n, router, [VueQueryPlugin, { queryClient }] as [typeof VueQueryPlugin, object]];
  const dialog = mount(RecentSignInDialog, { global: { plugins }, attachTo: document.body });
  stop = () => {
    dialog.unmount();
  };
  await vi.waitFor(() => {
    expect(document.querySelector("[role=dialog] form, [role=dialog] [role=alert], p.text-quiet")).not.toBeNull();
  });
  return document.querySelector("[role=dialog]")?.textContent ?? "";
}

afterEach(() => {
  stop?.();
  vi.unstubAllGlobals();
  client.setConfig({ baseUrl: "" });
});

test.each([
  [["Simple", "OpenID"], ["Simple", "OpenID"], "You can also sign in again with single sign-on."],
  [["Simple", "OpenID"], ["OpenID"], "Sign in again with single sign-on."],
  [["Simple"], ["OpenID"], "All your sign-in methods are turned off on this server."],
  [["Simple"], null, "Down."],
])("a user with %s on a server with %s reads what to do", async (own, enabled, text) => {
  expect(await shown(own, enabled)).toContain(text);
});
