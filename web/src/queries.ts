import { MutationCache, QueryCache, QueryClient } from "@tanstack/vue-query";

import { showOwnAccountQueryKey, statusOf } from "@/api";

const STRANGER = 401;

// Retrying helps against network and server errors only, not against rejected requests.
function mayHelp(failures: number, error: unknown): boolean {
  const status = statusOf(error);
  return failures < 2 && (status === 0 || status >= 500);
}

// A rejected call may mean that the session has ended elsewhere, so fetch the account again.
function lookWhoIsHere(error: unknown): void {
  if (statusOf(error) === STRANGER) void queries.invalidateQueries({ queryKey: showOwnAccountQueryKey() });
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: lookWhoIsHere }),
  mutationCache: new MutationCache({ onError: lookWhoIsHere }),
  defaultOptions: {
    queries: { staleTime: 30_000, retry: mayHelp, retryDelay: (failures) => 400 * 2 ** failures },
    // Requests and responses may contain passwords or secrets, so do not cache them.
    mutations: { retry: false, gcTime: 0 },
  },
});
