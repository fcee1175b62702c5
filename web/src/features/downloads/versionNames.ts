import { useI18n } from "vue-i18n";

import { ONLY_VERSION } from "@/features/version_unpacking/rules";

interface Named {
  label?: string;
  name: string;
}

/** What people see as the name of a version: the whole folder of a game has none of its own. */
export function useVersionNames(): { nameOf: (version: Named) => string } {
  const { t } = useI18n();
  return {
    nameOf: ({ label, name }) => label || (name === ONLY_VERSION ? t("downloads.unnumbered") : name),
  };
}
