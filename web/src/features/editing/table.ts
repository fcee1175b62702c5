import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { listDamageOptions, listLibrariesOptions, showLibrariesOptions, showStatisticsOptions } from "@/api";

import { rowsOf } from "./rules";

/** All games in the table; what is not known yet comes by itself. */
export function useGameRows() {
  const overview = useQuery(showLibrariesOptions());
  const libraries = useQuery(listLibrariesOptions());
  const statistics = useQuery(showStatisticsOptions());
  const damage = useQuery(listDamageOptions());
  const rows = computed(() =>
    overview.data.value
      ? rowsOf({
          overview: overview.data.value,
          libraries: libraries.data.value,
          statistics: statistics.data.value,
          damage: damage.data.value,
        })
      : [],
  );
  return { overview, libraries, rows };
}
