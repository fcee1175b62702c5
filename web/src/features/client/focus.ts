import { TYPING } from "@/kit/gridKeys";

import { type Direction, nearest } from "./spatial";

const TARGETS =
  ":is(a[href], button, input, select, textarea, summary, [tabindex]):not([tabindex='-1'], :disabled), " +
  "[role^=menuitem]:not([data-disabled])";
const LAYERS = "[role=dialog], [role=alertdialog], [role=menu], :popover-open";
// What is so high on the page is seen well without scrolling.
const FIRST_SCREEN = 0.9;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

/** The uppermost open dialog or menu. */
export function openLayer(): HTMLElement | null {
  const layers = [...document.querySelectorAll<HTMLElement>(LAYERS)];
  return layers.reverse().find((layer) => layer.checkVisibility()) ?? null;
}

function targetsIn(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(TARGETS)].filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    // The link that skips the navigation is one pixel large until it has the focus.
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
  });
}

function isInSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** The element with the focus, if it is in the uppermost layer. */
export function focused(): HTMLElement | null {
  const at = document.activeElement;
  const root = openLayer() ?? document.body;
  return at instanceof HTMLElement && root.contains(at) && at.matches(TARGETS) ? at : null;
}

/** Bring what has the focus into the middle of the window, and to the top of the page if it fits there. */
export function reveal(): void {
  const element = focused();
  if (!element) return;
  const behavior = CALM.matches ? "instant" : "smooth";
  const isInPage = element.closest("#content") !== null;
  element.scrollIntoView({ block: isInPage ? "center" : "nearest", inline: "nearest", behavior });
  const bottom = element.getBoundingClientRect().bottom + scrollY;
  if (isInPage && bottom < innerHeight * FIRST_SCREEN) scrollTo({ top: 0, behavior });
}

// While the page scrolls to what has just got the focus, that may not be in sight yet.
const SCROLLING_MS = 1000;
let focusedAt = -SCROLLING_MS;

function focus(element: HTMLElement): void {
  focusedAt = performance.now();
  element.focus({ preventScroll: true });
  reveal();
}

/** Focus the link to `href`, or else what comes first, in the uppermost layer or in the page: games before fields. */
export function focusFirst(href?: string): void {
  const root = openLayer() ?? document.getElementById("content") ?? document.body;
  const targets = targetsIn(root);
  const known = href ? targets.find((target) => target.getAttribute("href") === href) : undefined;
  const game = targets.find((target) => target.closest("[data-place]"));
  const first = known ?? game ?? targets.find((target) => !target.matches(TYPING)) ?? targets[0];
  if (first) focus(first);
}

/** Move the focus to the nearest element in a direction: in the page or the header first, then from one to the other. */
export function moveFocus(direction: Direction): void {
  const from = focused();
  if (!from) return focusFirst();
  const all = targetsIn(openLayer() ?? document.body).filter((target) => target !== from);
  const isThere = isInSight(from) || performance.now() - focusedAt < SCROLLING_MS;
  const seen = isThere ? undefined : all.find((target) => isInSight(target) && target.closest("#content"));
  if (seen) return focus(seen);
  const isInPage = (target: HTMLElement) => target.closest("#content") !== null;
  const [near, far] = [all.filter((each) => isInPage(each) === isInPage(from)), all];
  const next = nextOf(direction, from, near) ?? nextOf(direction, from, far);
  if (next) focus(next);
}

function nextOf(direction: Direction, from: HTMLElement, targets: HTMLElement[]): HTMLElement | undefined {
  const boxes = targets.map((target) => target.getBoundingClientRect());
  return targets[nearest(direction, from.getBoundingClientRect(), boxes)];
}
