import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { listLibrariesOptions } from "@/api";

/** The libraries whose files Playdock manages, and whether one is among them. */
export function useManagedLibraries(library: () => string) {
  const libraries = useQuery(listLibrariesOptions());
  const managed = computed(() => (libraries.data.value ?? []).filter(({ options }) => options.managed));
  const isManaged = computed(() => managed.value.some(({ id }) => id === library()));
  return { managed, isManaged };
}
