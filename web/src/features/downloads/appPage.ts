import { computed, type ComputedRef } from "vue";
import { useRouter } from "vue-router";

export const APP_PAGE = "/client";

/** Return whether there is a page from which players get the app. */
export function useAppPage(): ComputedRef<boolean> {
  const router = useRouter();
  return computed(() => router.resolve(APP_PAGE).name !== "not-found");
}
