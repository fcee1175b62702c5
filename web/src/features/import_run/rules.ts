import type { RunRowResponse } from "@/api";

/** The state of a folder in a run; `partly` if the game was imported without some of its versions. */
export type RowStatus = "waiting" | "imported" | "partly" | "failed";

export function rowStatusOf(row: RunRowResponse): RowStatus {
  if (row.fault) return row.gameId ? "partly" : "failed";
  return row.gameId ? "imported" : "waiting";
}

/** Rows that need review first, then unfinished ones, then imported ones. */
export function inOrder(rows: readonly RunRowResponse[]): RunRowResponse[] {
  const order: RowStatus[] = ["failed", "partly", "waiting", "imported"];
  return [...rows].sort((a, b) => order.indexOf(rowStatusOf(a)) - order.indexOf(rowStatusOf(b)));
}
