import type { RunRowAnswer } from "@/api";

/** How a folder of a run stands; `partly` for a game that is there while something of it is not. */
export type Standing = "waiting" | "imported" | "partly" | "failed";

export function standingOf(row: RunRowAnswer): Standing {
  if (row.fault) return row.gameId ? "partly" : "failed";
  return row.gameId ? "imported" : "waiting";
}

/** Whatever needs a look comes first, then what is still to come, then what is there. */
export function inOrder(rows: readonly RunRowAnswer[]): RunRowAnswer[] {
  const order: Standing[] = ["failed", "partly", "waiting", "imported"];
  return [...rows].sort((a, b) => order.indexOf(standingOf(a)) - order.indexOf(standingOf(b)));
}
