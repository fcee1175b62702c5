import { type MaybeRefOrGetter, onScopeDispose, toValue, watch } from "vue";
import type { Router } from "vue-router";

type Close = () => void;

/** What closes the dialogs that are open; the last one is on top. */
const openDialogs: Close[] = [];
let isBack = false;

function forget(close: Close): void {
  const place = openDialogs.indexOf(close);
  if (place >= 0) openDialogs.splice(place, 1);
}

/** Let the browser's back button close a dialog, as people expect on phones. */
export function useClosedByBack(isOpen: MaybeRefOrGetter<boolean>, close: Close): void {
  watch(
    () => toValue(isOpen),
    (now) => {
      forget(close);
      if (now) openDialogs.push(close);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    forget(close);
  });
}

/** For guards: whether the back button was used. */
export function isGoingBack(): boolean {
  return isBack;
}

/** For guards: close the topmost dialog if the back button was used, and return whether the page must not be left. */
export function closedByBack(): boolean {
  const close = isBack ? openDialogs.at(-1) : undefined;
  // A dialog may change the address itself: the router has to return to the page first.
  if (close) addEventListener("popstate", close, { once: true });
  return close !== undefined;
}

/** Stay on the page when the back button closes a dialog. To be called before the router's first navigation. */
export function closeDialogsOnBack(router: Router): void {
  router.options.history.listen((_to, _from, { direction }) => {
    isBack = direction === "back";
  });
  router.beforeEach(() => !closedByBack());
  router.afterEach(() => {
    isBack = false;
  });
}
