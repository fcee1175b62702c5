/** A column of a data grid; `class` also applies to its heading. */
export interface Column {
  name: string;
  label: string;
  class?: string;
  /** The heading is visually hidden. */
  silent?: boolean;
}

/** Fields that need the arrow keys themselves. */
export const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable=true]";

/** Return whether a key belongs to a field, an open dialog or menu, or the browser. */
export function isHandledElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]")) return true;
  return event.target instanceof Element && event.target.closest(TYPING) !== null;
}

/** The row that a key moves to, or null. Arrow keys count only within the table. */
export function rowAfterKey(
  key: string,
  { from, count, within }: { from: number; count: number; within: boolean },
): number | null {
  if (!count) return null;
  const last = count - 1;
  if (key === "j" || (within && key === "ArrowDown")) return Math.min(last, from + 1);
  if (key === "k" || (within && key === "ArrowUp")) return Math.max(0, from - 1);
  if (!within) return null;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "PageDown") return Math.min(last, from + 10);
  if (key === "PageUp") return Math.max(0, from - 10);
  return null;
}
