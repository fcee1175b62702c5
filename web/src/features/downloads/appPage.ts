import { computed, type ComputedRef } from "vue";
import { useRouter } from "vue-router";

export const APP_PAGE = "/client";

/** The link that opens a game of the server at an address in the app on this computer. */
export function appLink(address: string, game: { id: string }): string {
  return `playdock://install/${encodeURIComponent(address)}/${game.id}`;
}

/** Return whether there is a page from which players get the app. */
export function useAppPage(): ComputedRef<boolean> {
  const router = useRouter();
  return computed(() => router.resolve(APP_PAGE).name !== "not-found");
}
