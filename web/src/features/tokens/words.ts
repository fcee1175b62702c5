import { useI18n } from "vue-i18n";

/** What a right allows, in the language of the pages; in the service's own words where they have none. */
export function useAclWords() {
  const { t, te } = useI18n();
  return (acl: string, description = acl): string => {
    const key = `tokens.acls.${acl.replaceAll(":", "_")}`;
    return te(key) ? t(key) : description;
  };
}
