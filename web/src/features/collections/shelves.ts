import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import {
  addToCollection,
  addToOwnLibrary,
  type CollectionAnswer,
  type EntryAnswer,
  listCollectionsQueryKey,
  removeFromCollection,
  removeFromOwnLibrary,
  showCollectionQueryKey,
  showOwnLibraryQueryKey,
} from "@/api";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

/** Where games of one's own stand, the library or a collection: where it is remembered, and how games come and go. */
export interface Shelf {
  key: QueryKey;
  put: (gameId: string) => Promise<CollectionAnswer>;
  take: (gameId: string) => Promise<unknown>;
}

export const OWN_LIBRARY: Shelf = {
  key: showOwnLibraryQueryKey(),
  put: async (id) => (await addToOwnLibrary({ body: { id }, throwOnError: true })).data,
  take: (id) => removeFromOwnLibrary({ body: { id }, throwOnError: true }),
};

export function collectionShelf(collectionId: string): Shelf {
  const path = { collection_id: collectionId };
  return {
    key: showCollectionQueryKey({ path }),
    put: async (id) => (await addToCollection({ path, body: { id }, throwOnError: true })).data,
    take: (id) => removeFromCollection({ path, body: { id }, throwOnError: true }),
  };
}

/** What is shown of the own collections comes anew. */
export function collectionsChanged(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: listCollectionsQueryKey() });
}

/** Take games off a shelf: they go at once, and there is a way back. */
export function useRemoval(shelf: Shelf, placeName: () => string) {
  const queries = useQueryClient();
  const { tellOf } = useProblems();
  const { t } = useI18n();

  async function attempt(change: () => Promise<unknown>): Promise<boolean> {
    try {
      await change();
      return true;
    } catch (error) {
      tellOf(error);
      await queries.invalidateQueries({ queryKey: shelf.key });
      return false;
    } finally {
      void collectionsChanged(queries);
    }
  }

  async function putBack(entries: readonly EntryAnswer[]): Promise<void> {
    await attempt(async () => {
      // One after the other, the oldest first: so they stand in the order in which they stood.
      for (const entry of entries.toReversed()) queries.setQueryData(shelf.key, await shelf.put(entry.gameId));
    });
  }

  function sentence(entries: readonly EntryAnswer[]): string {
    const words = { name: entries[0]?.game.name ?? "", place: placeName() };
    return t("collections.removed", words, entries.length);
  }

  /** `entries` stand latest first. */
  async function remove(entries: readonly EntryAnswer[]): Promise<void> {
    const gone = new Set(entries.map((entry) => entry.gameId));
    await queries.cancelQueries({ queryKey: shelf.key });
    queries.setQueryData<CollectionAnswer>(
      shelf.key,
      (all) => all && { ...all, entries: all.entries.filter((entry) => !gone.has(entry.gameId)) },
    );
    const done = await attempt(() => Promise.all([...gone].map(shelf.take)));
    if (done) tell(sentence(entries), { undo: () => void putBack(entries) });
  }

  return { remove };
}
