import { hashKey, type QueryClient, useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import {
  listMechanismsQueryKey,
  showOwnAccountOptions,
  showOwnAccountQueryKey,
  showServerProfileQueryKey,
  type UserResponse,
} from "@/api";
import { IS_APP } from "@/api/agent";

/** Fetch the signed-in user, or null. The service answers null without a session, so this is not an error. */
export function fetchAccount(queries: QueryClient): Promise<UserResponse | null> {
  return queries.ensureQueryData({ ...showOwnAccountOptions(), revalidateIfStale: true });
}

/** Whether to show what only administrators can do. A device cannot administer, so the app does not offer it. */
export function canAdminister(account: UserResponse | null): boolean {
  return account?.admin === true && !IS_APP;
}

export function useAccount() {
  const query = useQuery(showOwnAccountOptions());
  const account = computed(() => query.data.value ?? null);
  return { account, isAdmin: computed(() => canAdminister(account.value)) };
}

// The account, and public data that the sign-in page may already be loading.
const SHARED_QUERIES = [showOwnAccountQueryKey(), listMechanismsQueryKey(), showServerProfileQueryKey()].map((key) =>
  hashKey(key),
);

function isPersonal({ queryHash }: { queryHash: string }): boolean {
  return !SHARED_QUERIES.includes(queryHash);
}

/** Remove everything the service returned to the previous user. */
export function clearUserData(queries: QueryClient): void {
  queries.removeQueries({ predicate: isPersonal });
}

/** Remove it because another user has signed in, and fetch the visible data again. */
export async function resetUserData(queries: QueryClient): Promise<void> {
  await queries.resetQueries({ predicate: isPersonal });
}

const DRAFTS_OWNER = "writer";

/** Let loaded pages treat a cleared storage like a change from another tab. Without a storage they keep what they have. */
function announceCleared(): void {
  const storageArea = sessionStorage instanceof Storage ? sessionStorage : null;
  window.dispatchEvent(new StorageEvent("storage", { storageArea, key: null }));
}

/** Unsent drafts of this tab are kept for their author, and deleted for anybody else. */
export function keepDraftsFor(accountId: string): void {
  if (sessionStorage.getItem(DRAFTS_OWNER) === accountId) return;
  sessionStorage.clear();
  sessionStorage.setItem(DRAFTS_OWNER, accountId);
  announceCleared();
}

// Followed by the id of the account.
export const RECENT_GAMES = "recent-games:";

/** Delete what this browser has stored about the user who signs out: drafts, decisions, and recent games. */
export function forgetUser(): void {
  sessionStorage.clear();
  for (const key of Object.keys(localStorage)) if (key.startsWith(RECENT_GAMES)) localStorage.removeItem(key);
  announceCleared();
}

/** Update the cached data after signing in or out. */
export async function accountChanged(queries: QueryClient): Promise<void> {
  clearUserData(queries);
  await refetchAccount(queries);
}

/** Fetch the signed-in user again, ignoring the cache. */
export function refetchAccount(queries: QueryClient): Promise<UserResponse | null> {
  return queries.fetchQuery({ ...showOwnAccountOptions(), staleTime: 0 });
}
