import { useEventListener } from "@vueuse/core";
import { useI18n } from "vue-i18n";
import { onBeforeRouteLeave } from "vue-router";

import { confirm } from "./confirm";

/** Ask before a page is left, or loaded again, while something that was typed is not saved. */
export function useUnsavedChanges(isUnsaved: () => boolean): void {
  const { t } = useI18n();
  onBeforeRouteLeave((to) => {
    // Whose session has ended cannot save it any more.
    if (!isUnsaved() || to.name === "sign-in") return true;
    return confirm({ title: t("kit.leaveTitle"), loss: t("kit.leaveLoss"), action: t("kit.leaveAction") });
  });
  useEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
}
