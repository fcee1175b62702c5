import { type QueryClient, useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { showServerProfileOptions } from "@/api";
import { withBase } from "@/api/basePath";
import { DEFAULT_SITE_NAME, siteName } from "@/kit/title";

// It changes rarely, and the page that changes it updates it.
const MINUTES = 10 * 60 * 1000;

/** Fetch the server's name, greeting and logo before the first page. Without them it is called Playdock. */
export async function fetchServerProfile(queries: QueryClient): Promise<void> {
  const profile = await queries
    .ensureQueryData({ ...showServerProfileOptions(), staleTime: MINUTES })
    .catch(() => undefined);
  if (profile) siteName.value = profile.name;
}

export function useServerProfile() {
  const query = useQuery({ ...showServerProfileOptions(), staleTime: MINUTES });
  const profile = computed(() => query.data.value);
  const logo = computed(() => profile.value?.logoObjectId);
  return {
    query,
    name: computed(() => profile.value?.name ?? DEFAULT_SITE_NAME),
    greeting: computed(() => profile.value?.greeting ?? ""),
    logoUrl: computed(() => (logo.value ? withBase(`/api/v1/object/${logo.value}`) : null)),
  };
}
