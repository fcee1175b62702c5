import { useQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";

import { searchMetadataOptions } from "@/api";

/** The games that providers know by some words. They may take their time, so they are asked once, whatever changes here. */
export function useMetadataSearch(wanted: Readonly<Ref<string>>) {
  return useQuery(
    computed(() => ({
      ...searchMetadataOptions({ query: { q: wanted.value } }),
      enabled: wanted.value !== "",
      staleTime: "static" as const,
    })),
  );
}

/** More results than these are not looked through; more words find better ones. */
export const MOST_RESULTS = 12;
