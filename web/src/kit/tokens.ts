/** One of several things that are entered; `note` says quietly what kind it is. */
export interface Token {
  key: string;
  label: string;
  note?: string;
  /** What is said of it only while it is an option. */
  about?: string;
}

/** Where an arrow leads among options, around their ends. */
export function optionAfter(key: string, at: number, count: number): number {
  if (!count) return -1;
  if (key === "ArrowDown") return (at + 1) % count;
  return at <= 0 ? count - 1 : at - 1;
}
