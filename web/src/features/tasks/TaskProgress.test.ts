import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { mount } from "@vue/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { nextTick } from "vue";
import { createI18n } from "vue-i18n";

import sentences from "./locales/en.json";
import TaskProgress from "./TaskProgress.vue";

let tell: (text: string) => void = () => undefined;

beforeEach(() => {
  vi.stubGlobal(
    "WebSocket",
    class {
      onmessage?: (event: { data: string }) => void;
      constructor() {
        tell = (data) => this.onmessage?.({ data });
      }
      send(): void {}
      close(): void {}
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const i18n = createI18n({ legacy: false, locale: "en", messages: { en: { tasks: sentences } }, missingWarn: false });

function shown() {
  const plugins = [i18n, [VueQueryPlugin, { queryClient: new QueryClient() }] as [typeof VueQueryPlugin, object]];
  return mount(TaskProgress, { props: { taskId: "a" }, global: { plugins } });
}

function news(changes: object): string {
  const task = {
    id: "a",
    name: "Import Quake",
    nameCode: null,
    nameParameters: {},
    success: false,
    progress: 0,
    error: null,
    log: [],
    reset: true,
  };
  return JSON.stringify({ ...task, ...changes });
}

it("shows the progress of a task, and emits once when it has finished", async () => {
  const page = shown();
  tell("connect");
  tell(news({ progress: 42.6 }));
  await nextTick();
  expect(page.text()).toContain("Import Quake");
  expect(page.get("[role=progressbar]").attributes("aria-valuenow")).toBe("43");
  tell(news({ progress: 100, success: true }));
  tell("disconnect/a");
  await nextTick();
  expect(page.emitted("done")).toEqual([[true]]);
  page.unmount();
});

it("does not call a cancelled task failed", async () => {
  const page = shown();
  tell("connect");
  tell(news({ error: { title: "Cancelled", description: "It was cancelled.", code: "cancelled" } }));
  tell("disconnect/a");
  await nextTick();
  expect(page.text()).toContain("Cancelled");
  expect(page.text()).not.toContain("Failed");
  expect(page.find(".text-bad").exists()).toBe(false);
  page.unmount();
});

it("shows why a task failed", async () => {
  const page = shown();
  tell("connect");
  tell(news({ error: { title: "No metadata", description: "Steam cannot be reached." } }));
  tell("disconnect/a");
  await nextTick();
  expect(page.text()).toContain("Steam cannot be reached.");
  expect(page.emitted("done")).toEqual([[false]]);
  page.unmount();
});
