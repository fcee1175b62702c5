import { ref } from "vue";

/** A short message that closes by itself, with an undo action where possible. `Toasts.vue` shows it. */
export interface Toast {
  id: number;
  text: string;
  tone: "good" | "bad";
  undo?: (() => void) | undefined;
}

// More at once would cover the page.
const MAX_TOASTS = 3;

let lastId = 0;

export const toasts = ref<Toast[]>([]);

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** Close what has been said of success, unless it can be undone. */
export function dismissGood(): void {
  toasts.value = toasts.value.filter(({ tone, undo }) => tone === "bad" || undo);
}

export function toast(text: string, { tone = "good", undo }: Pick<Partial<Toast>, "tone" | "undo"> = {}): void {
  toasts.value = [...toasts.value, { id: ++lastId, text, tone, undo }].slice(-MAX_TOASTS);
}

/** Run a toast's undo action and close it. */
export function undoToast(one: Toast): void {
  dismiss(one.id);
  one.undo?.();
}

/** Undo the latest change that can still be undone; return whether there was one. */
export function undoLast(): boolean {
  const latest = toasts.value.findLast((one) => one.undo);
  if (latest) undoToast(latest);
  return latest !== undefined;
}
