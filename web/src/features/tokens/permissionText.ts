import { useI18n } from "vue-i18n";

/** The description of a permission, in the page's language if it is translated. */
export function usePermissionText() {
  const { t, te } = useI18n();
  return (acl: string, description = acl): string => {
    const key = `tokens.acls.${acl.replaceAll(":", "_")}`;
    return te(key) ? t(key) : description;
  };
}
