import type { QueryKey } from "@tanstack/vue-query";

import {
  addToCollection,
  addToOwnLibrary,
  type CollectionResponse,
  removeFromCollection,
  removeFromOwnLibrary,
  showCollectionQueryKey,
  showOwnLibraryQueryKey,
} from "@/api";

/** A list of the user's games, the library or a collection: its query key, and how to add and remove games. */
export interface GameListSource {
  key: QueryKey;
  put: (gameId: string) => Promise<CollectionResponse>;
  take: (gameId: string) => Promise<unknown>;
}

export const LIBRARY_SOURCE: GameListSource = {
  key: showOwnLibraryQueryKey(),
  put: async (id) => (await addToOwnLibrary({ body: { id }, throwOnError: true })).data,
  take: (id) => removeFromOwnLibrary({ body: { id }, throwOnError: true }),
};

export function collectionSource(collectionId: string): GameListSource {
  const path = { collection_id: collectionId };
  return {
    key: showCollectionQueryKey({ path }),
    put: async (id) => (await addToCollection({ path, body: { id }, throwOnError: true })).data,
    take: (id) => removeFromCollection({ path, body: { id }, throwOnError: true }),
  };
}
