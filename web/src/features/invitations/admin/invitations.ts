import { useInfiniteQuery } from "@tanstack/vue-query";

import { listInvitations, listInvitationsInfiniteQueryKey } from "@/api";

const PAGE = 100;

/** The valid invitations, newest first, page by page. */
export function useInvitations() {
  return useInfiniteQuery({
    queryKey: listInvitationsInfiniteQueryKey(),
    queryFn: async ({ pageParam, signal }) =>
      (await listInvitations({ query: { limit: PAGE, offset: pageParam }, signal, throwOnError: true })).data,
    initialPageParam: 0,
    getNextPageParam: (page, pages) => (page.length < PAGE ? undefined : pages.length * PAGE),
  });
}
