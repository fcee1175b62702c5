import { useI18n } from "vue-i18n";

import { readAgent } from "./agents";

/** The display name of a session: browser and system, as far as known. */
export function useAgentText() {
  const { t } = useI18n();
  return (header: string): string => {
    const { browser, system } = readAgent(header);
    if (browser && system) return t("sessions.own.on", { browser, system });
    return browser || system || t("sessions.own.nameless");
  };
}
