import { useI18n } from "vue-i18n";

import { ONLY_VERSION } from "@/features/version_unpacking/rules";

interface Named {
  label?: string | null;
  name: string;
}

interface VersionNames {
  /** Empty if it has none. */
  named: (version: Named) => string;
  /** Together with the name of its game. */
  titled: (game: string, version: Named) => string;
  /** As a title. */
  nameOf: (version: Named) => string;
  /** As a part of a sentence about one version. */
  inSentence: (version: Named) => string;
}

/** What people see as the name of a version: the whole folder of a game has none of its own. */
export function useVersionNames(): VersionNames {
  const { t } = useI18n();
  const named = ({ label, name }: Named) => label || (name === ONLY_VERSION ? "" : name);
  return {
    named,
    titled: (game, version) => `${game} ${named(version)}`.trim(),
    nameOf: (version) => named(version) || t("games.unnumbered"),
    inSentence: (version) => named(version) || t("games.thisVersion"),
  };
}
