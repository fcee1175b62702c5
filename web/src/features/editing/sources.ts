import { useI18n } from "vue-i18n";

import type { Field, GameDetails } from "@/api";

/** The source of a field's value, as text. */
export function useSources(game: () => GameDetails) {
  const { t } = useI18n();
  return (field: Field): string | undefined => {
    const source = game().sources[field];
    if (source === undefined) return undefined;
    if (source === "Manual") return t("editing.sources.manual");
    if (source === "Folder") return t("editing.sources.folder");
    return t("editing.sources.provider", { source });
  };
}
