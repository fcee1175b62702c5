import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { mount } from "@vue/test-utils";
import { afterEach, expect, test, vi } from "vitest";
import { createI18n } from "vue-i18n";

import { client } from "@/api/generated/client.gen";
import { pendingQuestion } from "@/kit/confirm";
import { toasts } from "@/kit/toasts";

import sentences from "./locales/en.json";
import SessionsOfUser from "./SessionsOfUser.vue";

const i18n = createI18n({ legacy: false, locale: "en", messages: { en: { sessions: sentences } }, missingWarn: false });
const SESSION = { id: "s1", agent: "", seen: "2026-01-01T00:00:00Z", created: "2026-01-01T00:00:00Z", current: true };
const sent: string[] = [];

function service(revoking: number): void {
  client.setConfig({ baseUrl: "http://here.example" });
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json([{ ...SESSION, expires: SESSION.seen }]);
    const kind = request.url.split("/").at(-1) ?? "";
    sent.push(kind);
    await new Promise((resolve) => setTimeout(resolve));
    sent.push(`${kind} done`);
    const status = kind === "token" ? revoking : 204;
    return status < 400
      ? new Response(null, { status })
      : Response.json({ type: "internal-error", detail: "Broken.", status }, { status });
  });
}

async function endAll(isChosen: boolean): Promise<void> {
  const plugins = [i18n, [VueQueryPlugin, { queryClient: new QueryClient() }] as [typeof VueQueryPlugin, object]];
  const page = mount(SessionsOfUser, { props: { userId: "u1", name: "Ada" }, global: { plugins } });
  await vi.waitFor(() => expect(page.find("button").exists()).toBe(true));
  await page.find("button").trigger("click");
  expect(pendingQuestion.value?.choice).toBe("Also revoke their API tokens");
  pendingQuestion.value?.answer({ isChosen });
  await vi.waitFor(() => expect(toasts.value).toHaveLength(1));
  page.unmount();
}

afterEach(() => {
  vi.unstubAllGlobals();
  client.setConfig({ baseUrl: "" });
  sent.length = 0;
  toasts.value = [];
});

test("the tokens are revoked before the sessions end, one of which may be that of the page", async () => {
  service(204);
  await endAll(true);
  expect(sent).toEqual(["token", "token done", "session", "session done"]);
  expect(toasts.value.map(({ text }) => text)).toEqual(["Signed Ada out everywhere"]);
});

test("the sessions do not end if the tokens could not be revoked", async () => {
  service(500);
  await endAll(true);
  expect(sent).toEqual(["token", "token done"]);
  expect(toasts.value.map(({ tone }) => tone)).toEqual(["bad"]);
});

test("the tokens are kept unless it was chosen", async () => {
  service(204);
  await endAll(false);
  expect(sent).toEqual(["session", "session done"]);
});
