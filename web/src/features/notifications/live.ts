import { useQueryClient } from "@tanstack/vue-query";
import { useThrottleFn } from "@vueuse/core";
import { onScopeDispose } from "vue";

import { listNotificationsQueryKey } from "@/api";
import { withBase } from "@/api/basePath";

/** The pause before the socket reconnects: longer after each failure, and different for each page. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 60_000;
/** How often the page is fetched again at most: an import of many games sends many notifications. */
const PAGE_PAUSE = 5_000;

/**
 * Fetch the notifications again whenever the server sends a new one, and what the page shows, which it may be about,
 * for the lifetime of the component. Once the server is back, what it could not answer is fetched again.
 */
export function useLiveNotifications(): void {
  const queries = useQueryClient();
  let socket: WebSocket | undefined;
  let pause = FIRST_PAUSE;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const refetchPage = useThrottleFn(() => queries.invalidateQueries(), PAGE_PAUSE, true);

  function refetch(): void {
    void queries.invalidateQueries({ queryKey: listNotificationsQueryKey() });
    void refetchPage();
  }

  function open(): void {
    const address = new URL(withBase("/api/v1/notifications/ws"), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    socket = new WebSocket(address);
    socket.onopen = () => {
      // Some may have been written while the socket was closed.
      if (pause > FIRST_PAUSE) refetch();
      void queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
      pause = FIRST_PAUSE;
    };
    socket.onmessage = refetch;
    socket.onclose = () => {
      if (isOver) return;
      retry = setTimeout(open, pause * (1 + Math.random()));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    };
  }

  open();
  onScopeDispose(() => {
    isOver = true;
    clearTimeout(retry);
    socket?.close();
  });
}
