import { keepPreviousData, useQueries, useQuery } from "@tanstack/vue-query";
import { ArrowRight, Heart, UserRound } from "@lucide/vue";
import { refDebounced } from "@vueuse/core";
import { computed, type Ref } from "vue";
import { useI18n } from "vue-i18n";

import { type GameCard, listCollectionsOptions, listGamesOptions, listUsersOptions, showGameOptions } from "@/api";
import { useAccount } from "@/features/accounts/currentUser";

import { recentGames } from "./recentGames";
import type { Entry } from "./rules";

const PAUSE = 100;
const MAX_GAMES = 6;
const MAX_PEOPLE = 50;
const TEN_MINUTES = 600_000;

function gameEntry(game: Pick<GameCard, "id" | "name" | "shortDescription" | "cover">): Entry {
  const to = { name: "game", params: { id: game.id } };
  return { key: `game ${game.id}`, title: game.name, detail: game.shortDescription, game, to };
}

/** The store's search results; `settled` once it has answered. */
export function useGames(wanted: Ref<string>) {
  const { t } = useI18n();
  const asked = refDebounced(wanted, PAUSE);
  const search = useQuery(
    computed(() => ({
      ...listGamesOptions({ query: { q: asked.value, limit: MAX_GAMES } }),
      enabled: asked.value !== "",
      placeholderData: keepPreviousData,
    })),
  );
  const games = computed(() => (wanted.value && asked.value ? (search.data.value?.games ?? []) : []));
  const entries = computed<Entry[]>(() => {
    const found = games.value.map(gameEntry);
    const total = search.data.value?.total ?? 0;
    if (!found.length || total <= found.length) return found;
    const to = { name: "games", query: { q: asked.value } };
    return [...found, { key: "all games", title: t("search.allGames", { count: total }), icon: ArrowRight, to }];
  });
  const settled = computed(() => wanted.value === asked.value && (!asked.value || !search.isFetching.value));
  return { games, entries, settled, error: search.error };
}

/** The recently opened games that are still visible to the user. */
export function useRecentlyOpened() {
  const { account } = useAccount();
  const games = useQueries({
    queries: recentGames(account.value?.id ?? "").map((id) => ({
      ...showGameOptions({ path: { game_id: id } }),
      staleTime: TEN_MINUTES,
      retry: false,
    })),
  });
  return computed<Entry[]>(() => games.value.flatMap(({ data }) => (data ? [gameEntry(data)] : [])));
}

export function useOwnCollections() {
  const { t } = useI18n();
  const { data } = useQuery(listCollectionsOptions());
  return computed<Entry[]>(() =>
    (data.value ?? []).map(({ id, name, entries }) => ({
      key: `collection ${id}`,
      title: name,
      detail: t("search.games", entries.length),
      icon: Heart,
      to: { name: "collection", params: { id } },
    })),
  );
}

/** The users with matching names, for administrators; `settled` once the service has answered. */
export function usePeople(wanted: Ref<string>) {
  const { isAdmin } = useAccount();
  const asked = refDebounced(wanted, PAUSE);
  const search = useQuery(
    computed(() => ({
      ...listUsersOptions({ query: { q: asked.value, limit: MAX_PEOPLE } }),
      enabled: isAdmin.value && asked.value !== "",
      placeholderData: keepPreviousData,
    })),
  );
  const entries = computed<Entry[]>(() =>
    (search.data.value ?? []).map(({ id, displayName, username }) => ({
      key: `user ${id}`,
      title: displayName,
      detail: username,
      alias: username,
      icon: UserRound,
      to: `/admin/users/${id}`,
    })),
  );
  const settled = computed(
    () => !isAdmin.value || (wanted.value === asked.value && (!asked.value || !search.isFetching.value)),
  );
  return { entries, settled };
}
