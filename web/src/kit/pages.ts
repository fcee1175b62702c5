interface PagedQuery {
  hasNextPage: { value: boolean };
  fetchNextPage: () => Promise<{ hasNextPage: boolean; isError: boolean }>;
}

interface Loading {
  isFetching: { value: boolean };
  isError: { value: boolean };
}

/** Load all remaining pages of a list, and return whether that succeeded. */
export async function loadAllPages({ hasNextPage, fetchNextPage }: PagedQuery): Promise<boolean> {
  let more = hasNextPage.value;
  while (more) {
    const loaded = await fetchNextPage();
    if (loaded.isError) return false;
    more = loaded.hasNextPage;
  }
  return true;
}

/** Load the next page of a list, if there is one, unless the list is being loaded or that has failed. */
export function loadNextPage({ hasNextPage, fetchNextPage, isFetching, isError }: PagedQuery & Loading): void {
  if (hasNextPage.value && !isFetching.value && !isError.value) void fetchNextPage();
}
