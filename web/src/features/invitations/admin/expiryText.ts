import { useI18n } from "vue-i18n";

import { useFormat } from "@/kit/format";

import { isEndless } from "./expiry";

/** The expiry of an invitation, as text. */
export function useExpiryText() {
  const { t } = useI18n();
  const { ago, moment } = useFormat();
  return {
    endOf: (expires: string) => (isEndless(expires, new Date()) ? t("invitations.list.never") : ago(expires)),
    /** The same as an absolute date, for readers at another time. */
    momentOf: (expires: string) => (isEndless(expires, new Date()) ? null : moment(expires)),
  };
}
