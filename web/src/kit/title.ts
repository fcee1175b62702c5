import { ref, watchEffect } from "vue";

export const DEFAULT_SITE_NAME = "Playdock";
/** The name of the server, which ends all titles. */
export const siteName = ref(DEFAULT_SITE_NAME);

/** Sets the document title. */
export function usePageTitle(title: () => string): void {
  watchEffect(() => {
    document.title = title() ? `${title()} · ${siteName.value}` : siteName.value;
  });
}
