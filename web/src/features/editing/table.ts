import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/vue-query";
import { computed, type Ref, ref } from "vue";

import {
  checkGameFoldersOptions,
  listAdminGames,
  listAdminGamesInfiniteQueryKey,
  listLibrariesOptions,
  type ListAdminGamesData,
} from "@/api";

import { loadAllPages, loadNextPage } from "@/kit/pages";

import { countsOf, folderRowsOf, isFolderState, rowsOf, type Wanted } from "./rules";

const PAGE = 100;

/** The rows of the games table: pages from the database, or, for the states of folders, the games that are concerned. */
export function useGameRows(wanted: Readonly<Ref<Wanted>>) {
  const query = computed<ListAdminGamesData["query"]>(() => {
    const { words, state, library, sort } = wanted.value;
    return { q: words, library, sort, limit: PAGE, ...(state && !isFolderState(state) ? { state } : {}) };
  });
  const pages = useInfiniteQuery({
    queryKey: computed(() => listAdminGamesInfiniteQueryKey({ query: query.value })),
    queryFn: async ({ pageParam, signal }) =>
      (await listAdminGames({ query: { ...query.value, after: pageParam }, signal, throwOnError: true })).data,
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
  const libraries = useQuery(listLibrariesOptions());
  // Listing every folder may take long, so it is done on request.
  const isAsked = ref(false);
  const byFolder = computed(() => isFolderState(wanted.value.state));
  const folders = useQuery(
    computed(() => ({ ...checkGameFoldersOptions(), enabled: isAsked.value || byFolder.value, staleTime: Infinity })),
  );

  const known = computed(() => ({ libraries: libraries.data.value, folders: folders.data.value }));
  const listed = computed(() => pages.data.value?.pages.flatMap((page) => page.games) ?? []);
  const rows = computed(() =>
    byFolder.value ? folderRowsOf(known.value, wanted.value) : rowsOf(listed.value, known.value),
  );
  const total = computed(() => (byFolder.value ? rows.value.length : (pages.data.value?.pages[0]?.total ?? 0)));
  const hasMore = computed(() => !byFolder.value && pages.hasNextPage.value);
  const counts = computed(() => countsOf(pages.data.value?.pages[0]?.counts, folders.data.value));

  function more(): void {
    if (!byFolder.value) loadNextPage(pages);
  }

  /** Load the rest of the list; a failure is shown by the page. */
  async function loadAll(): Promise<boolean> {
    return byFolder.value || loadAllPages(pages);
  }

  function checkFolders(): void {
    if (isAsked.value) void folders.refetch();
    isAsked.value = true;
  }

  return { pages, libraries, folders, byFolder, rows, total, counts, more, loadAll, hasMore, checkFolders };
}
