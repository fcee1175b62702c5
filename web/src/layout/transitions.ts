import { nextTick } from "vue";
import type { RouteLocationNormalized, Router, RouterScrollBehavior } from "vue-router";

/** The transition name of a growing cover; it must be unique on the page. */
const GROWING = "growing-cover";
const MAX_WAIT_MS = 1000;

let arrived: (() => void) | null = null;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function isInSight(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
}

/** The visible cover of a game: the focused one, if there are several. */
function coverOf(game: string): HTMLElement | undefined {
  const selector = `[data-cover="${CSS.escape(game)}"]`;
  const chosen = document.activeElement?.querySelector<HTMLElement>(selector);
  return (
    [chosen, ...document.querySelectorAll<HTMLElement>(selector)].find((cover) => !!cover && isInSight(cover)) ??
    undefined
  );
}

function gameOf(route: RouteLocationNormalized): string | null {
  return route.name === "game" ? String(route.params.id) : null;
}

async function grow(game: string, change: () => Promise<void>): Promise<void> {
  const before = coverOf(game);
  if (before) before.style.viewTransitionName = GROWING;
  let after: HTMLElement | undefined;
  const transition = document.startViewTransition(async () => {
    await change();
    if (before) before.style.viewTransitionName = "";
    after = before && coverOf(game);
    if (after) after.style.viewTransitionName = GROWING;
  });
  await transition.finished.catch(() => undefined);
  if (after) after.style.viewTransitionName = "";
}

/** Animate a game's cover between list and page, if the browser supports it and reduced motion is not preferred. */
export function useTransitions(router: Router): void {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  router.beforeResolve((to, from) => {
    const game = gameOf(to) ?? gameOf(from);
    if (!("startViewTransition" in document) || calm.matches || game === null || to.path === from.path) return;
    if (from.matched.length === 0) return;
    return new Promise((resolve) => {
      void grow(game, async () => {
        const shown = new Promise<void>((done) => (arrived = done));
        resolve();
        await Promise.race([shown, pause(MAX_WAIT_MS)]);
      });
    });
  });
  router.afterEach((_to, _from, failure) => {
    if (failure) arrived?.();
  });
}

/**
 * Restore the scroll position once the page is long enough; start new pages at the top; keep the position if only the
 * query changed.
 */
export const scrollBehavior: RouterScrollBehavior = async (to, from, saved) => {
  if (saved) await lengthOf(saved.top + innerHeight);
  setTimeout(() => arrived?.());
  return saved ?? (to.path === from.path ? false : { top: 0 });
};

// Not with animation frames, which stop during a view transition.
async function lengthOf(wanted: number): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  await nextTick();
  while (document.documentElement.scrollHeight < wanted - 1 && performance.now() < end) await pause(16);
}
