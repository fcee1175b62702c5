import { useQueryClient } from "@tanstack/vue-query";
import { onScopeDispose } from "vue";

import { listNotificationsQueryKey, statusOf } from "@/api";
import { withBase } from "@/api/basePath";

/** The pause before the socket reconnects: longer after each failure, and different for each page. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 60_000;
/** Responses from here on are faults of the server; 0 is none at all. */
const SERVER_FAULT = 500;

/**
 * Fetch the notifications again whenever the server sends a new one, and the queries that they may be about
 * (`meta: { isLive: true }`), for the lifetime of the component. Once the server is back, what the page could not get
 * from it is fetched again.
 */
export function useLiveNotifications(): void {
  const queries = useQueryClient();
  let socket: WebSocket | undefined;
  let pause = FIRST_PAUSE;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  function refetch(): void {
    void queries.invalidateQueries({ queryKey: listNotificationsQueryKey() });
    void queries.invalidateQueries({ predicate: ({ meta }) => meta?.isLive === true }, { cancelRefetch: false });
  }

  function refetchFailed(): void {
    const mayHelp = (error: unknown) => statusOf(error) === 0 || statusOf(error) >= SERVER_FAULT;
    void queries.refetchQueries({
      type: "active",
      predicate: ({ state }) => state.status === "error" && mayHelp(state.error),
    });
  }

  function open(): void {
    const address = new URL(withBase("/api/v1/notifications/ws"), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    socket = new WebSocket(address);
    socket.onopen = () => {
      if (pause > FIRST_PAUSE) {
        // Some may have been written while the socket was closed.
        refetch();
        refetchFailed();
      }
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
