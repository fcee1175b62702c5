/**
 * The path below which the service is, such as `/games`; empty if it has a host of its own. The built files are the same
 * for all paths: this module is in `<path>/assets/`, or in `<path>/_/assets/` in the web view of Drop's client.
 */
const built = import.meta.url;
export const BASE_PATH = import.meta.env.PROD ? new URL("..", built).pathname.replace(/(\/_)?\/$/, "") : "";

/** Return the full path of something of the service that the router does not know, such as `/api/…`. */
export function withBase(path: string): string {
  return `${BASE_PATH}${path}`;
}

/** Whether the web view of Drop's client shows the pages. It has a navigation of its own. */
export const IS_WEB_VIEW =
  new URLSearchParams(location.search).get("noWrapper") === "true" ||
  navigator.userAgent.startsWith("Drop Desktop Client");
