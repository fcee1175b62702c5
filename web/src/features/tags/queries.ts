import { keepPreviousData, useInfiniteQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";

import { listTags, listTagsInfiniteQueryKey, type TagKind } from "@/api";

const PAGE = 100;

/** The tags of a kind with matching names, page by page; "" is any kind. */
export function useTags(wanted: Ref<string>, kind: Ref<TagKind | "">) {
  const filters = computed(() => ({ q: wanted.value, ...(kind.value && { kind: kind.value }) }));
  return useInfiniteQuery({
    queryKey: computed(() => listTagsInfiniteQueryKey({ query: filters.value })),
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filters.value, limit: PAGE, after: pageParam };
      return (await listTags({ query, signal, throwOnError: true })).data;
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}
