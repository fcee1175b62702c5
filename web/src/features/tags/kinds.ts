import { computed } from "vue";
import { useI18n } from "vue-i18n";

import { TAG_KINDS } from "@/features/games/constants";

/** The kinds of tags as options of a select field. */
export function useKinds() {
  const { t } = useI18n();
  return computed(() => TAG_KINDS.map((value) => ({ value, label: t(`games.kinds.${value}`) })));
}
