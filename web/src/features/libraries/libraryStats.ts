import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { countLibraryGamesOptions, listLibrariesOptions, showStatisticsOptions } from "@/api";

import { factsOf } from "./rules";

/** The libraries, with statistics as they become available. */
export function useLibraries() {
  const libraries = useQuery(listLibrariesOptions());
  const counts = useQuery(countLibraryGamesOptions());
  const statistics = useQuery(showStatisticsOptions());
  const facts = computed(() => factsOf(counts.data.value, statistics.data.value));
  return { libraries, facts };
}
