import { keepPreviousData, useInfiniteQuery, type QueryClient } from "@tanstack/vue-query";
import { computed, type MaybeRefOrGetter, toValue } from "vue";

import { listGameRequests, listGameRequestsInfiniteQueryKey, type RequestList } from "@/api";
import { withBase } from "@/api/basePath";

const PAGE = 50;

/** The requests of a list, those that most players want first. */
export function useGameRequests(status: MaybeRefOrGetter<RequestList>) {
  return useInfiniteQuery({
    queryKey: computed(() => listGameRequestsInfiniteQueryKey({ query: { status: toValue(status) } })),
    queryFn: async ({ pageParam, signal }) => {
      const query = { status: toValue(status), limit: PAGE, offset: pageParam };
      return (await listGameRequests({ query, signal, throwOnError: true })).data;
    },
    meta: { isLive: true },
    initialPageParam: 0,
    getNextPageParam: (page, pages) => (page.requests.length < PAGE ? undefined : pages.length * PAGE),
    placeholderData: keepPreviousData,
  });
}

export async function requestsChanged(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: listGameRequestsInfiniteQueryKey() }),
    queries.invalidateQueries({ predicate: ({ queryKey }) => isSearch(queryKey[0]) }),
  ]);
}

function isSearch(key: unknown): boolean {
  return (key as { _id?: string } | undefined)?._id === "searchRequestableGames";
}

/** The address of an image of a provider, which the service proxies: pages request no other host. */
export function pictureOf(icon: string): string {
  return icon && withBase(`/api/v1/requests/picture?url=${encodeURIComponent(icon)}`);
}
