import { QueryClient, QueryObserver } from "@tanstack/vue-query";
import { useSessionStorage } from "@vueuse/core";
import { beforeEach, expect, it } from "vitest";
import { nextTick } from "vue";

import { showOwnAccountQueryKey } from "@/api";

import { clearUserData, forgetUser, resetUserData, keepDraftsFor } from "./currentUser";

beforeEach(() => {
  sessionStorage.clear();
});

it("clears the previous user's data, but not the account and public data", () => {
  const queries = new QueryClient();
  queries.setQueryData(["invitations"], ["secret"]);
  queries.setQueryData(showOwnAccountQueryKey(), null);
  clearUserData(queries);
  expect(queries.getQueryData(["invitations"])).toBeUndefined();
  expect(queries.getQueryData(showOwnAccountQueryKey())).toBeNull();
});

it("fetches the visible data again for the new user", async () => {
  const queries = new QueryClient();
  let told = "ada's";
  const shown = new QueryObserver(queries, { queryKey: ["games"], queryFn: () => told });
  const stop = shown.subscribe(() => undefined);
  await queries.ensureQueryData({ queryKey: ["games"] });
  told = "bob's";
  await resetUserData(queries);
  expect(shown.getCurrentResult().data).toBe("bob's");
  stop();
});

it("keeps drafts for their author only", async () => {
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

it("deletes what it has stored about the user who signs out, and nothing else", async () => {
  localStorage.setItem("recent-games:ada", "[]");
  localStorage.setItem("language", "de");
  keepDraftsFor("ada");
  const draft = useSessionStorage("draft", "");
  draft.value = "A text";
  await nextTick();
  forgetUser();
  await nextTick();
  expect([draft.value, sessionStorage.getItem("draft") ?? ""]).toEqual(["", ""]);
  expect(Object.keys(localStorage)).toEqual(["language"]);
});
