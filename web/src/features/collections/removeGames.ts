import { type QueryClient, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { type CollectionResponse, type EntryResponse, listCollectionsQueryKey } from "@/api";
import type { GameListSource } from "@/features/games/gameLists";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

/** Fetch the visible collections again. */
export function collectionsChanged(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: listCollectionsQueryKey() });
}

/** Remove games from a list at once, with undo. */
export function useRemoveGames(place: GameListSource, placeName: () => string) {
  const queries = useQueryClient();
  const { toastError } = useErrorMessages();
  const { t } = useI18n();

  async function attempt(change: () => Promise<unknown>): Promise<boolean> {
    try {
      await change();
      return true;
    } catch (error) {
      toastError(error);
      await queries.invalidateQueries({ queryKey: place.key });
      return false;
    } finally {
      void collectionsChanged(queries);
    }
  }

  async function putBack(entries: readonly EntryResponse[]): Promise<void> {
    await attempt(async () => {
      // One at a time and oldest first, which restores their order.
      for (const entry of entries.toReversed()) queries.setQueryData(place.key, await place.put(entry.gameId));
    });
  }

  function sentence(entries: readonly EntryResponse[]): string {
    const words = { name: entries[0]?.game.name ?? "", place: placeName() };
    return t("collections.removed", words, entries.length);
  }

  /** `entries` are sorted latest first. */
  async function remove(entries: readonly EntryResponse[]): Promise<void> {
    const gone = new Set(entries.map((entry) => entry.gameId));
    await queries.cancelQueries({ queryKey: place.key });
    queries.setQueryData<CollectionResponse>(
      place.key,
      (all) => all && { ...all, entries: all.entries.filter((entry) => !gone.has(entry.gameId)) },
    );
    const done = await attempt(() => Promise.all([...gone].map(place.take)));
    if (done) toast(sentence(entries), { undo: () => void putBack(entries) });
  }

  return { remove };
}
