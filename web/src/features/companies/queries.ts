import { keepPreviousData, useInfiniteQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";

import { listCompanies, listCompaniesInfiniteQueryKey } from "@/api";

const PAGE = 100;

/** A page of companies with matching names. */
export function useCompanies(wanted: Ref<string>) {
  return useInfiniteQuery({
    queryKey: computed(() => listCompaniesInfiniteQueryKey({ query: { q: wanted.value } })),
    queryFn: async ({ pageParam, signal }) => {
      const query = { q: wanted.value, limit: PAGE, after: pageParam };
      return (await listCompanies({ query, signal, throwOnError: true })).data;
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}
