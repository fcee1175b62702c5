import { keepPreviousData, useInfiniteQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";

import { listAuditEntries, listAuditEntriesInfiniteQueryKey } from "@/api";

const PAGE = 50;

export interface AuditFilters {
  q: string;
  operation: string;
  since?: string;
  until?: string;
}

/** The matching entries of the audit log, newest first. */
export function useAuditEntries(filters: Ref<AuditFilters>) {
  return useInfiniteQuery({
    queryKey: computed(() => listAuditEntriesInfiniteQueryKey({ query: filters.value })),
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filters.value, limit: PAGE, before: pageParam };
      return (await listAuditEntries({ query, signal, throwOnError: true })).data;
    },
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}
