import { useQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";

import { searchMetadataOptions } from "@/api";

/** Search results of all providers. Providers may be slow, so a result is never fetched twice. */
export function useMetadataSearch(wanted: Readonly<Ref<string>>) {
  return useQuery(
    computed(() => ({
      ...searchMetadataOptions({ query: { q: wanted.value } }),
      enabled: wanted.value !== "",
      staleTime: "static" as const,
    })),
  );
}

/** Further results are not shown; more words find better ones. */
export const MAX_RESULTS = 12;
