import { QueryClient, QueryObserver } from "@tanstack/vue-query";
import { useSessionStorage } from "@vueuse/core";
import { beforeEach, expect, it } from "vitest";
import { nextTick } from "vue";

import { showOwnAccountQueryKey } from "@/api";

import { forget, forgetAndAsk, keepDraftsFor } from "./own";

beforeEach(() => {
  sessionStorage.clear();
});

it("forgets all that was told to whoever was here, but not who is here now", () => {
  const queries = new QueryClient();
  queries.setQueryData(["invitations"], ["secret"]);
  queries.setQueryData(showOwnAccountQueryKey(), null);
  forget(queries);
  expect(queries.getQueryData(["invitations"])).toBeUndefined();
  expect(queries.getQueryData(showOwnAccountQueryKey())).toBeNull();
});

it("asks again for what is shown when somebody else is here", async () => {
  const queries = new QueryClient();
  let told = "ada's";
  const shown = new QueryObserver(queries, { queryKey: ["games"], queryFn: () => told });
  const stop = shown.subscribe(() => undefined);
  await queries.ensureQueryData({ queryKey: ["games"] });
  told = "bob's";
  await forgetAndAsk(queries);
  expect(shown.getCurrentResult().data).toBe("bob's");
  stop();
});

it("keeps drafts for their writer and for nobody else", async () => {
  keepDraftsFor("ada");
  const draft = useSessionStorage("draft", "");
  draft.value = "A text";
  await nextTick();
  keepDraftsFor("ada");
  expect([draft.value, sessionStorage.getItem("draft")]).toEqual(["A text", "A text"]);
  keepDraftsFor("bob");
  await nextTick();
  expect(draft.value).toBe("");
  expect(sessionStorage.getItem("draft") ?? "").toBe("");
});
