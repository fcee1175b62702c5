import { watchEffect } from "vue";

/** The browser's tab says what the page is. */
export function usePageTitle(title: () => string): void {
  watchEffect(() => {
    document.title = title() ? `${title()} · Playdock` : "Playdock";
  });
}
