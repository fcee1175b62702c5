const REACHED_WITHIN_MS = 10_000;
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
  const signal = AbortSignal.timeout(REACHED_WITHIN_MS);
  return fetch(href, { method: "HEAD", cache: "no-store", signal }).then(
    (response) => response.ok,
    () => false,
  );
}

// In the words of Chromium, Firefox, Safari, and of Vite for styles.
const LOAD_FAILURES =
  /Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS/;

/** Whether a part of the program could not be loaded, such as a dialog. */
export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && LOAD_FAILURES.test(error.message);
}
