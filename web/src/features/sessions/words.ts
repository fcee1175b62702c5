import { useI18n } from "vue-i18n";

import { readAgent } from "./agents";

/** What a session is called: the browser and the machine that it is on, as far as they tell. */
export function useAgentWords() {
  const { t } = useI18n();
  return (header: string): string => {
    const { browser, system } = readAgent(header);
    if (browser && system) return t("sessions.own.on", { browser, system });
    return browser || system || t("sessions.own.nameless");
  };
}
