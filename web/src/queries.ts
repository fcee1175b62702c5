import { MutationCache, QueryCache, QueryClient } from "@tanstack/vue-query";

import { showOwnAccountQueryKey, statusOf } from "@/api";

const STRANGER = 401;

// What the service has refused it refuses again; what did not come may come.
function mayHelp(failures: number, error: unknown): boolean {
  const status = statusOf(error);
  return failures < 2 && (status === 0 || status >= 500);
}

// A session that ended elsewhere is noticed by the first call that is refused: then it is asked who is here.
function lookWhoIsHere(error: unknown): void {
  if (statusOf(error) === STRANGER) void queries.invalidateQueries({ queryKey: showOwnAccountQueryKey() });
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: lookWhoIsHere }),
  mutationCache: new MutationCache({ onError: lookWhoIsHere }),
  defaultOptions: {
    queries: { staleTime: 30_000, retry: mayHelp, retryDelay: (failures) => 400 * 2 ** failures },
    // What was sent and answered may be a password or a secret: it goes with the form that it was for.
    mutations: { retry: false, gcTime: 0 },
  },
});
