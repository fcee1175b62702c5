import { useI18n } from "vue-i18n";

/** The service's names for sources of clues, and their message keys. */
const SOURCES: Record<string, string> = {
  "folder name": "folder",
  "installer name": "installer",
  "version resource": "resource",
  "Unity app.info": "unity",
  "Steam manifest": "steam",
  "Epic manifest": "epic",
  "goggame info": "gog",
  program: "program",
  year: "year",
};

/** Clues and reasons in the page's language; unknown ones stay in the service's words. */
export function useClueText() {
  const { t } = useI18n();

  function source(name: string): string {
    const key = SOURCES[name];
    return key ? t(`import_plan.clues.${key}`) : name;
  }

  function id(provider: string): string {
    return t("import_plan.clues.id", { provider });
  }

  /** A reason is `<where>: <what>`, or `<provider> id <id>`. */
  function reason(text: string): string {
    const [where = "", ...what] = text.split(": ");
    if (what.length) return `${source(where)}: ${what.join(": ")}`;
    const [provider, number] = text.split(" id ");
    return provider && number ? `${id(provider)} ${number}` : text;
  }
  return { source, id, reason };
}
