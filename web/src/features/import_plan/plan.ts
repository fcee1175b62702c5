import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/vue-query";
import { computed, type MaybeRefOrGetter, toValue } from "vue";

import {
  computePlan,
  type PlanRowResponse,
  type PlanSort,
  showPlan,
  showPlanInfiniteQueryKey,
  showPlanQueryKey,
} from "@/api";

const PAGE = 100;
const POLL_INTERVAL_MS = 2_000;
/** While the plan is empty: what was just copied or uploaded appears without reloading the page. */
const EMPTY_POLL_INTERVAL_MS = 5_000;
/** With more pages than this, only the last one is fetched again while the plan grows. */
const MAX_REFETCHED_PAGES = 3;

/** The tab of the plan, its filters and its order. */
export interface PlanPart {
  certain: boolean;
  library: string;
  words?: string;
  sort?: PlanSort;
}

/** The query key of all parts of the plan. */
export const PLAN_KEY = showPlanQueryKey();

/** The loaded rows of a part of the plan. Missing rows are computed, and the list is updated as they appear. */
export function usePlan(part: MaybeRefOrGetter<PlanPart>) {
  const queries = useQueryClient();
  // Rows are fetched after this, because a first fetch that is under way would not be repeated.
  const computing = computePlan({ body: {} });
  void computing.then(async ({ data }) => {
    if (data?.taskId) await queries.invalidateQueries({ queryKey: PLAN_KEY });
  });
  const query = useInfiniteQuery({
    queryKey: computed(() => showPlanInfiniteQueryKey({ query: { ...toValue(part) } })),
    queryFn: async ({ pageParam, signal }) => {
      const { certain, library, words = "", sort = "confidence" } = toValue(part);
      await computing;
      const asked = { certain, offset: pageParam, limit: PAGE, q: words, sort, ...(library && { library }) };
      return (await showPlan({ query: asked, signal, throwOnError: true })).data;
    },
    initialPageParam: 0,
    getNextPageParam: (page, pages) => (page.rows.length < PAGE ? undefined : pages.length * PAGE),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      if (pages.at(-1)?.taskId && pages.length <= MAX_REFETCHED_PAGES) return POLL_INTERVAL_MS;
      return pages.at(-1)?.total === 0 ? EMPTY_POLL_INTERVAL_MS : false;
    },
  });
  const last = computed(() => query.data.value?.pages.at(-1));
  // Imports shift the rows, so a row may be on two pages until both are fetched again.
  const rows = computed(() => {
    const all = query.data.value?.pages.flatMap((page) => page.rows) ?? [];
    return [...new Map(all.map((row): [string, PlanRowResponse] => [row.id, row])).values()];
  });

  function more(): void {
    if (query.hasNextPage.value && !query.isFetchingNextPage.value) void query.fetchNextPage();
  }
  return { query, rows, last, more };
}
