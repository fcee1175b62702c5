import { useEventListener } from "@vueuse/core";
import { onScopeDispose } from "vue";
import { useI18n } from "vue-i18n";
import { onBeforeRouteLeave, onBeforeRouteUpdate, type RouteLocationNormalized, useRouter } from "vue-router";

import { confirm } from "./confirm";
import { closedByBack, isGoingBack } from "./openDialogs";

// Browsers ask at once whether the page may be left.
const LINK_OPENS_WITHIN_MS = 1000;

interface UnsavedOptions {
  /** What is lost, as a sentence. */
  loss?: () => string;
  /** Called when the page is left without saving. */
  discard?: () => void;
  /** Whether what was typed is still there at another address. */
  isKept?: (to: RouteLocationNormalized, from: RouteLocationNormalized) => boolean;
  isKeptByReload?: boolean;
}

/** Ask before a page is left, or loaded again, while something that was typed is not saved. */
export function useUnsavedChanges(isUnsaved: () => boolean, options: UnsavedOptions = {}): void {
  const { t } = useI18n();
  const router = useRouter();
  const isKept = options.isKept ?? ((to, from) => to.path === from.path);
  let isConfirmed = false;

  async function ask(): Promise<boolean> {
    isConfirmed = await confirm({
      title: t("kit.leaveTitle"),
      loss: options.loss?.() ?? t("kit.leaveLoss"),
      action: t("kit.leaveAction"),
    });
    if (isConfirmed) options.discard?.();
    return isConfirmed;
  }

  function mayLeave(to: RouteLocationNormalized): boolean | Promise<boolean> {
    // Whose session has ended cannot save it any more.
    if (!isUnsaved() || isConfirmed || to.name === "sign-in") return true;
    if (closedByBack()) return false;
    if (!isGoingBack()) return ask();
    // The address is the previous one already. It has to be this one while the question is open: going back again
    // would leave the previous page.
    void ask().then((isSure) => {
      if (isSure) router.back();
    });
    return false;
  }
  onScopeDispose(
    router.afterEach((_to, _from, failure) => {
      if (failure) isConfirmed = false;
    }),
  );
  onBeforeRouteLeave(mayLeave);
  onBeforeRouteUpdate((to, from) => isKept(to, from) || mayLeave(to));
  if (options.isKeptByReload) return;

  let programStarted = -LINK_OPENS_WITHIN_MS;
  // A link to a program, such as the app, does not leave the page, but browsers announce that it does.
  useEventListener(
    "click",
    ({ target, timeStamp }) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (link && !link.protocol.startsWith("http")) programStarted = timeStamp;
    },
    { capture: true },
  );
  useEventListener("beforeunload", (event) => {
    const startsProgram = event.timeStamp - programStarted < LINK_OPENS_WITHIN_MS;
    programStarted = -LINK_OPENS_WITHIN_MS;
    if (isUnsaved() && !isConfirmed && !startsProgram) event.preventDefault();
  });
}
