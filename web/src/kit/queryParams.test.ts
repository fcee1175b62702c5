import { flushPromises } from "@vue/test-utils";
import { beforeEach, expect, test } from "vitest";
import { createApp } from "vue";
import { createMemoryHistory, createRouter, type Router } from "vue-router";

import { useQueryParam } from "./queryParams";

const SORTS = ["name", "size"] as const;

let router: Router;
beforeEach(() => {
  router = createRouter({ history: createMemoryHistory(), routes: [{ path: "/", component: {} }] });
});

async function wordsOf(address: string) {
  await router.push(address);
  const app = createApp({}).use(router);
  return app.runWithContext(() => ({
    q: useQueryParam("q"),
    sort: useQueryParam<(typeof SORTS)[number]>("sort", "name", SORTS),
  }));
}

test("changes of several parameters at once are one navigation", async () => {
  const { q, sort } = await wordsOf("/?kept=1");
  q.value = "tetris";
  sort.value = "size";
  await flushPromises();
  expect(router.currentRoute.value.fullPath).toBe("/?kept=1&q=tetris&sort=size");
});

test("an unknown value counts as unset", async () => {
  const { sort } = await wordsOf("/?sort=nonsense");
  expect(sort.value).toBe("name");
});

test("a failed navigation does not block the next one", async () => {
  router.onError(() => undefined);
  const { q } = await wordsOf("/");
  const open = router.beforeEach(() => {
    throw new Error("The service is down.");
  });
  q.value = "lost";
  await flushPromises();
  open();
  q.value = "found";
  await flushPromises();
  expect(router.currentRoute.value.query.q).toBe("found");
});
