import { computed } from "vue";
import { useI18n } from "vue-i18n";

import type { TagKind } from "@/api";

export const KINDS: readonly TagKind[] = ["genre", "theme", "mode", "perspective", "keyword"];

/** The kinds of tags as a select offers them. */
export function useKinds() {
  const { t } = useI18n();
  return computed(() => KINDS.map((value) => ({ value, label: t(`tags.kinds.${value}`) })));
}
