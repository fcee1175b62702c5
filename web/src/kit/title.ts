import { watchEffect } from "vue";

/** Sets the document title. */
export function usePageTitle(title: () => string): void {
  watchEffect(() => {
    document.title = title() ? `${title()} · Playdock` : "Playdock";
  });
}
