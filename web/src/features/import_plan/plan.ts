import { keepPreviousData, useInfiniteQuery } from "@tanstack/vue-query";
import { computed, type MaybeRefOrGetter, toValue } from "vue";

import { type PlanRowAnswer, showPlan, showPlanInfiniteQueryKey, showPlanQueryKey } from "@/api";

const PAGE = 100;
const LOOKING_PAUSE = 2_000;
/** Beyond so many pages they are not all asked for again while the plan grows: its end will do. */
const MOST_PAGES = 3;

/** Which part of the plan is looked at. */
export interface PlanPart {
  certain: boolean;
  library: string;
}

/** All that is known of the plan, in whatever part. */
export const PLAN_KEY = showPlanQueryKey();

/** The rows of a part of the plan as far as they are wanted. While the plan is computed they grow by themselves. */
export function usePlan(part: MaybeRefOrGetter<PlanPart>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => showPlanInfiniteQueryKey({ query: { ...toValue(part) } })),
    queryFn: async ({ pageParam, signal }) => {
      const { certain, library } = toValue(part);
      const asked = { certain, offset: pageParam, limit: PAGE, ...(library && { library }) };
      return (await showPlan({ query: asked, signal, throwOnError: true })).data;
    },
    initialPageParam: 0,
    getNextPageParam: (page, pages) => (page.rows.length < PAGE ? undefined : pages.length * PAGE),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      return pages.at(-1)?.taskId && pages.length <= MOST_PAGES ? LOOKING_PAUSE : false;
    },
  });
  const last = computed(() => query.data.value?.pages.at(-1));
  // Rows move up when others are imported: one may be on two pages until both are asked for again.
  const rows = computed(() => {
    const all = query.data.value?.pages.flatMap((page) => page.rows) ?? [];
    return [...new Map(all.map((row): [string, PlanRowAnswer] => [row.id, row])).values()];
  });

  function more(): void {
    if (query.hasNextPage.value && !query.isFetchingNextPage.value) void query.fetchNextPage();
  }
  return { query, rows, last, more };
}
