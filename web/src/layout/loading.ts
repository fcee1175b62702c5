const RELOADED = "playdock-reloaded";

/**
 * What to do if the program of a page cannot be loaded. After an update of the server its files have new names, so the
 * whole page is loaded again, once. If that did not help, or the server cannot be reached, the failure is shown.
 */
export function afterFailedLoad(href: string, { isReachable }: { isReachable: boolean }): "reload" | "show" {
  if (!isReachable || sessionStorage.getItem(RELOADED) === href) return "show";
  sessionStorage.setItem(RELOADED, href);
  return "reload";
}

/** A page was loaded: its next failure is another one. */
export function afterLoad(): void {
  sessionStorage.removeItem(RELOADED);
}

export async function isServerReachable(href: string): Promise<boolean> {
  return fetch(href, { method: "HEAD", cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );
}
