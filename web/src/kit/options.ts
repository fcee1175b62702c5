/** One of several options to select from; `note` names its kind. */
export interface Option {
  key: string;
  label: string;
  note?: string;
  /** Shown in place of the note while it is not selected. */
  about?: string;
}

/** The option that an arrow key leads to, around the ends; -1 without options. */
export function optionAfter(key: string, current: number, count: number): number {
  if (!count) return -1;
  if (key === "ArrowDown") return (current + 1) % count;
  return current <= 0 ? count - 1 : current - 1;
}
