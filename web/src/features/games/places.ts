import type { QueryKey } from "@tanstack/vue-query";

import {
  addToCollection,
  addToOwnLibrary,
  type CollectionAnswer,
  removeFromCollection,
  removeFromOwnLibrary,
  showCollectionQueryKey,
  showOwnLibraryQueryKey,
} from "@/api";

/** Where games of one's own stand, the library or a collection: where it is remembered, and how games come and go. */
export interface OwnPlace {
  key: QueryKey;
  put: (gameId: string) => Promise<CollectionAnswer>;
  take: (gameId: string) => Promise<unknown>;
}

export const OWN_LIBRARY: OwnPlace = {
  key: showOwnLibraryQueryKey(),
  put: async (id) => (await addToOwnLibrary({ body: { id }, throwOnError: true })).data,
  take: (id) => removeFromOwnLibrary({ body: { id }, throwOnError: true }),
};

export function collectionPlace(collectionId: string): OwnPlace {
  const path = { collection_id: collectionId };
  return {
    key: showCollectionQueryKey({ path }),
    put: async (id) => (await addToCollection({ path, body: { id }, throwOnError: true })).data,
    take: (id) => removeFromCollection({ path, body: { id }, throwOnError: true }),
  };
}
