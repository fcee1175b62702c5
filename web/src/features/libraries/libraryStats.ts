import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { listLibrariesOptions, showLibrariesOptions, showStatisticsOptions } from "@/api";

import { factsOf } from "./rules";

/** The libraries, with statistics as they become available. */
export function useLibraries() {
  const libraries = useQuery(listLibrariesOptions());
  const overview = useQuery(showLibrariesOptions());
  const statistics = useQuery(showStatisticsOptions());
  const facts = computed(() => factsOf(overview.data.value, statistics.data.value));
  return { libraries, facts };
}
