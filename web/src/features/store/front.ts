import type { QueryClient } from "@tanstack/vue-query";

import { listFeaturedGamesOptions, listGamesOptions, listTagsInUseOptions } from "@/api";

import { ON_A_SHELF } from "./shelves";

/** What the front of the store asks for. */
export const FRONT = {
  newest: listGamesOptions({ query: { sort: "newest", limit: ON_A_SHELF } }),
  updated: listGamesOptions({ query: { sort: "updated", limit: ON_A_SHELF } }),
  featured: listFeaturedGamesOptions(),
  tags: listTagsInUseOptions(),
};

/** Ask before the page is there. */
export function askAhead(queries: QueryClient): void {
  void queries.prefetchQuery(FRONT.featured);
  void queries.prefetchQuery(FRONT.newest);
  void queries.prefetchQuery(FRONT.updated);
  void queries.prefetchQuery(FRONT.tags);
}
