import { type QueryClient, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { type CollectionAnswer, type EntryAnswer, listCollectionsQueryKey } from "@/api";
import type { OwnPlace } from "@/features/games/places";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

/** What is shown of the own collections comes anew. */
export function collectionsChanged(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: listCollectionsQueryKey() });
}

/** Take games out of a place: they go at once, and there is a way back. */
export function useRemoval(place: OwnPlace, placeName: () => string) {
  const queries = useQueryClient();
  const { tellOf } = useProblems();
  const { t } = useI18n();

  async function attempt(change: () => Promise<unknown>): Promise<boolean> {
    try {
      await change();
      return true;
    } catch (error) {
      tellOf(error);
      await queries.invalidateQueries({ queryKey: place.key });
      return false;
    } finally {
      void collectionsChanged(queries);
    }
  }

  async function putBack(entries: readonly EntryAnswer[]): Promise<void> {
    await attempt(async () => {
      // One after the other, the oldest first: so they stand in the order in which they stood.
      for (const entry of entries.toReversed()) queries.setQueryData(place.key, await place.put(entry.gameId));
    });
  }

  function sentence(entries: readonly EntryAnswer[]): string {
    const words = { name: entries[0]?.game.name ?? "", place: placeName() };
    return t("collections.removed", words, entries.length);
  }

  /** `entries` stand latest first. */
  async function remove(entries: readonly EntryAnswer[]): Promise<void> {
    const gone = new Set(entries.map((entry) => entry.gameId));
    await queries.cancelQueries({ queryKey: place.key });
    queries.setQueryData<CollectionAnswer>(
      place.key,
      (all) => all && { ...all, entries: all.entries.filter((entry) => !gone.has(entry.gameId)) },
    );
    const done = await attempt(() => Promise.all([...gone].map(place.take)));
    if (done) tell(sentence(entries), { undo: () => void putBack(entries) });
  }

  return { remove };
}
