import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { mount } from "@vue/test-utils";
import { afterEach, expect, test, vi } from "vitest";
import { createI18n } from "vue-i18n";
import { createRouter, createWebHistory } from "vue-router";

import { client } from "@/api/generated/client.gen";

import ArticleForm from "./ArticleForm.vue";
import ImageField from "./ImageField.vue";

const i18n = createI18n({ legacy: false, locale: "en", messages: { en: {} }, missingWarn: false, fallbackWarn: false });
const router = createRouter({
  history: createWebHistory(),
  routes: [{ path: "/:path(.*)", component: { template: "<i />" } }],
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  client.setConfig({ baseUrl: "" });
});

test("an article whose image fails is not published a second time", async () => {
  const sent: string[] = [];
  client.setConfig({ baseUrl: "http://here.example" });
  URL.createObjectURL = () => "blob:image";
  URL.revokeObjectURL = () => undefined;
  vi.stubGlobal("fetch", (request: Request) => {
    sent.push(`${request.method} ${new URL(request.url).pathname}`);
    const failed = Response.json(
      { type: "picture-refused", detail: "Choose another image.", status: 400 },
      { status: 400 },
    );
    return Promise.resolve(request.url.endsWith("/image") ? failed : Response.json({ id: "a1" }));
  });
  const plugins = [
    i18n,
    router,
    [VueQueryPlugin, { queryClient: new QueryClient() }] as [typeof VueQueryPlugin, object],
  ];
  const form = mount(ArticleForm, { props: { gameId: "" }, global: { plugins } });
  await form.find("input").setValue("Game night");
  form.findComponent(ImageField).vm.$emit("choose", new File(["x"], "x.png"));

  for (const count of [2, 4]) {
    await form.trigger("submit");
    await vi.waitFor(() => {
      expect(sent).toHaveLength(count);
      expect(form.find("[type=submit]").attributes("aria-busy")).not.toBe("true");
    });
  }

  const image = "POST /api/v1/admin/news/a1/image";
  expect(sent).toEqual(["POST /api/v1/admin/news", image, "PATCH /api/v1/admin/news/a1", image]);
  form.unmount();
});
