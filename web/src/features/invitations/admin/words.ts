import { useI18n } from "vue-i18n";

import { useFormat } from "@/kit/format";

import { isEndless } from "./expiry";

/** When invitations end, in words. */
export function useExpiryWords() {
  const { t } = useI18n();
  const { ago, moment } = useFormat();
  return {
    endOf: (expires: string) => (isEndless(expires, new Date()) ? t("invitations.list.never") : ago(expires)),
    /** The same for whoever reads it later. */
    momentOf: (expires: string) => (isEndless(expires, new Date()) ? null : moment(expires)),
  };
}
