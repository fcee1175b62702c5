import { watch } from "vue";
import { useRoute } from "vue-router";

import { RECENT_GAMES, useAccount } from "@/features/accounts/currentUser";

import { recentsOf, remembering } from "./rules";

// Ids only: names and covers come from the service, which checks permissions.
function keyOf(accountId: string): string {
  return `${RECENT_GAMES}${accountId}`;
}

/** The ids of the games that were recently opened in this browser, latest first. */
export function recentGames(accountId: string): string[] {
  return recentsOf(localStorage.getItem(keyOf(accountId)));
}

/** Remember every game whose page is opened. */
export function useRememberGames(): void {
  const route = useRoute();
  const { account } = useAccount();
  watch(
    () => (route.name === "game" ? [account.value?.id, route.params.id] : []),
    ([accountId, gameId]) => {
      if (typeof accountId !== "string" || typeof gameId !== "string") return;
      localStorage.setItem(keyOf(accountId), JSON.stringify(remembering(recentGames(accountId), gameId)));
    },
    { immediate: true },
  );
}
