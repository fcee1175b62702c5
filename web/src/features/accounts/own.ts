import { hashKey, type QueryClient, useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { listMechanismsQueryKey, showOwnAccountOptions, showOwnAccountQueryKey, type UserAnswer } from "@/api";

/** Who is signed in, or null. The service answers null to strangers, so this is no failure. */
export function fetchAccount(queries: QueryClient): Promise<UserAnswer | null> {
  return queries.ensureQueryData({ ...showOwnAccountOptions(), revalidateIfStale: true });
}

export function useAccount() {
  const query = useQuery(showOwnAccountOptions());
  const account = computed(() => query.data.value ?? null);
  return { account, isAdmin: computed(() => account.value?.admin === true) };
}

// Who is signed in, and what everybody is told alike: the page to sign in may be waiting for it already.
const LASTING = [showOwnAccountQueryKey(), listMechanismsQueryKey()].map((key) => hashKey(key));

function isPersonal({ queryHash }: { queryHash: string }): boolean {
  return !LASTING.includes(queryHash);
}

/** Forget what the service told the one before. */
export function forget(queries: QueryClient): void {
  queries.removeQueries({ predicate: isPersonal });
}

/** Forget it where somebody else is here now, and ask again for what is shown. */
export async function forgetAndAsk(queries: QueryClient): Promise<void> {
  await queries.resetQueries({ predicate: isPersonal });
}

const WRITER = "writer";

/** What was written in this tab and not sent is its writer's, who may come back to it; nobody else finds it. */
export function keepDraftsFor(accountId: string): void {
  if (sessionStorage.getItem(WRITER) === accountId) return;
  sessionStorage.clear();
  sessionStorage.setItem(WRITER, accountId);
  // Pages that are loaded hear of it as of another tab's change.
  window.dispatchEvent(new StorageEvent("storage", { storageArea: sessionStorage, key: null }));
}

/** After signing in or out. */
export async function accountChanged(queries: QueryClient): Promise<void> {
  forget(queries);
  await fetchAccountAnew(queries);
}

/** Ask again who is signed in, whatever was known. */
export function fetchAccountAnew(queries: QueryClient): Promise<UserAnswer | null> {
  return queries.fetchQuery({ ...showOwnAccountOptions(), staleTime: 0 });
}
