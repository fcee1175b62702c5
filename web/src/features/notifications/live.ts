import { useQueryClient } from "@tanstack/vue-query";
import { onScopeDispose } from "vue";

import { listNotificationsQueryKey } from "@/api";
import { withBase } from "@/api/basePath";

/** The pause before the socket reconnects: longer after each failure, and different for each page. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 60_000;

/** Fetch the notifications again whenever the server sends a new one, for the lifetime of the component. */
export function useLiveNotifications(): void {
  const queries = useQueryClient();
  let socket: WebSocket | undefined;
  let pause = FIRST_PAUSE;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  function refetch(): void {
    void queries.invalidateQueries({ queryKey: listNotificationsQueryKey() });
  }

  function open(): void {
    const address = new URL(withBase("/api/v1/notifications/ws"), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    socket = new WebSocket(address);
    socket.onopen = () => {
      // Some may have been written while the socket was closed.
      if (pause > FIRST_PAUSE) refetch();
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
