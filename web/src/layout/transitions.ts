import { nextTick } from "vue";
import type { RouteLocationNormalized, Router, RouterScrollBehavior } from "vue-router";

/** What a cover is called while it grows; one element at a time may have the name. */
const GROWING = "growing-cover";
const LONGEST_WAIT = 1000;

let arrived: (() => void) | null = null;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function isInSight(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
}

/** The cover of a game that somebody sees: the one that was chosen, if there are several. */
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

/** Let a cover grow into its page and go back to its place: where the browser can, and nobody asked for less movement. */
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
        await Promise.race([shown, pause(LONGEST_WAIT)]);
      });
    });
  });
  router.afterEach((_to, _from, failure) => {
    if (failure) arrived?.();
  });
}

/** Back where one was, once the page is as long again; at the top of a new one; in place where only the query changed. */
export const scrollBehavior: RouterScrollBehavior = async (to, from, saved) => {
  if (saved) await lengthOf(saved.top + innerHeight);
  setTimeout(() => arrived?.());
  return saved ?? (to.path === from.path ? false : { top: 0 });
};

// Not by animation frames: there are none while a transition holds the picture.
async function lengthOf(wanted: number): Promise<void> {
  const end = performance.now() + LONGEST_WAIT;
  await nextTick();
  while (document.documentElement.scrollHeight < wanted - 1 && performance.now() < end) await pause(16);
}
