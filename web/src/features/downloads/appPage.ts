import { useQuery } from "@tanstack/vue-query";
import { computed, type ComputedRef } from "vue";

import { listClientDownloadsOptions } from "@/api";

export const APP_PAGE = "/client";

/** The link that opens a game of the server at an address in the app on this computer. */
export function appLink(address: string, game: { id: string }): string {
  return `playdock://install/${encodeURIComponent(address)}/${game.id}`;
}

/** Return whether players get the app from the page of it: false until the server has said that it offers one. */
export function useAppPage(): ComputedRef<boolean> {
  const downloads = useQuery(listClientDownloadsOptions());
  return computed(() => Boolean(downloads.data.value?.length));
}

/** Return whether the server has said that it does not offer the app. */
export function useAppMissing(): ComputedRef<boolean> {
  const downloads = useQuery(listClientDownloadsOptions());
  return computed(() => downloads.data.value?.length === 0);
}
