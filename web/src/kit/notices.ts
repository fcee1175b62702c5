import { ref } from "vue";

/** A sentence that goes by itself, with a way back where there is one. */
export interface Notice {
  id: number;
  text: string;
  tone: "good" | "bad";
  undo?: (() => void) | undefined;
}

const SECONDS = { good: 6, bad: 12 };
let last = 0;

export const notices = ref<Notice[]>([]);

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function tell(text: string, { tone = "good", undo }: Pick<Partial<Notice>, "tone" | "undo"> = {}): void {
  const id = ++last;
  notices.value = [...notices.value.slice(-2), { id, text, tone, undo }];
  setTimeout(() => {
    dismiss(id);
  }, SECONDS[tone] * 1000);
}

/** Undo what was told last, if it can be undone still. */
export function undoLast(): boolean {
  const notice = notices.value.findLast((one) => one.undo);
  if (!notice) return false;
  dismiss(notice.id);
  notice.undo?.();
  return true;
}
