import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { countLibraryGamesOptions, listLibrariesOptions, showStatisticsOptions } from "@/api";

import { factsOf } from "./rules";

const LOOK_AGAIN_MS = 30_000;

/** The libraries, with statistics as they become available. */
export function useLibraries() {
  // A disk may come back.
  const libraries = useQuery({ ...listLibrariesOptions(), refetchInterval: LOOK_AGAIN_MS });
  const counts = useQuery(countLibraryGamesOptions());
  const statistics = useQuery(showStatisticsOptions());
  const facts = computed(() => factsOf(counts.data.value, statistics.data.value));
  return { libraries, facts };
}
