import type { QueryClient } from "@tanstack/vue-query";

import { listFeaturedGamesOptions, listGamesOptions, listTagsInUseOptions } from "@/api";

import { CAROUSEL_GAMES } from "./frontSelection";

/** The queries of the front page. */
export const FRONT = {
  newest: listGamesOptions({ query: { sort: "newest", limit: CAROUSEL_GAMES } }),
  updated: listGamesOptions({ query: { sort: "updated", limit: CAROUSEL_GAMES } }),
  featured: listFeaturedGamesOptions(),
  tags: listTagsInUseOptions(),
};

/** Prefetch the queries of the front page. */
export function askAhead(queries: QueryClient): void {
  void queries.prefetchQuery(FRONT.featured);
  void queries.prefetchQuery(FRONT.newest);
  void queries.prefetchQuery(FRONT.updated);
  void queries.prefetchQuery(FRONT.tags);
}
