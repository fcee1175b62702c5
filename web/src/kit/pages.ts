interface PagedQuery {
  hasNextPage: { value: boolean };
  fetchNextPage: () => Promise<{ hasNextPage: boolean; isError: boolean }>;
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
