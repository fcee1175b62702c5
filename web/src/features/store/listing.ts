import { keepPreviousData, useInfiniteQuery } from "@tanstack/vue-query";
import { computed, type MaybeRefOrGetter, toValue } from "vue";

import { type GameCard, listGames, listGamesInfiniteQueryKey } from "@/api";

import { type Filters, wantedOf } from "./filters";

// A small first page loads quickly; the following ones are as large as the service allows.
const FIRST_PAGE = 48;
const PAGE = 100;
const MAX_REFETCHED_PAGES = 3;

/** The games that match filters, page by page; previous results stay visible while loading. */
export function useListing(filters: MaybeRefOrGetter<Filters>) {
  const pages = useInfiniteQuery(
    computed(() => {
      const query = wantedOf(toValue(filters));
      return {
        queryKey: listGamesInfiniteQueryKey({ query }),
        queryFn: async ({ pageParam, signal }: { pageParam: string; signal: AbortSignal }) => {
          const limit = pageParam ? PAGE : FIRST_PAGE;
          const answer = await listGames({ query: { ...query, limit, after: pageParam }, signal, throwOnError: true });
          return answer.data;
        },
        initialPageParam: "",
        getNextPageParam: (page: { next: string | null }) => page.next,
        placeholderData: keepPreviousData,
        // Comparing and refetching a hundred pages would be slow.
        structuralSharing: false,
        shallow: true,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        refetchOnMount: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
          (state.data?.pages.length ?? 0) <= MAX_REFETCHED_PAGES,
      };
    }),
  );
  const games = computed<GameCard[]>(() => pages.data.value?.pages.flatMap((page) => page.games) ?? []);
  const total = computed(() => pages.data.value?.pages.at(-1)?.total ?? 0);

  function more(): void {
    const { hasNextPage, isFetching, isError, isPlaceholderData } = pages;
    if (!hasNextPage.value || isFetching.value || isError.value || isPlaceholderData.value) return;
    void pages.fetchNextPage();
  }
  return { pages, games, total, more };
}
