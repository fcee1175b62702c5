import type { EntryResponse, Platform, PlayRecordResponse } from "@/api";
import { PLATFORMS } from "@/features/games/constants";
import { matchesWords } from "@/kit/textSearch";

export const SORTS = ["added", "name", "played", "playTime"] as const;
export type Sort = (typeof SORTS)[number];

/** Search, sorting and filter of a game list. */
export interface View {
  typed: string;
  sort: Sort;
  platform: Platform | "";
}

/** Read a view from query parameters; unknown values are ignored. */
export function parseView(typed: string, sort: string, platform: string): View {
  return {
    typed,
    sort: SORTS.find((one) => one === sort) ?? "added",
    platform: PLATFORMS.find((one) => one === platform) ?? "",
  };
}

type Played = Pick<PlayRecordResponse, "seconds" | "lastPlayed">;

/** The visible games of a list. Entries arrive latest first. `played` is by the id of the game. */
export function visibleEntries(
  entries: readonly EntryResponse[],
  view: View,
  language: string,
  played: ReadonlyMap<string, Played> = new Map(),
): EntryResponse[] {
  const wanted = entries.filter(
    ({ game }) =>
      matchesWords(game.name, view.typed) && (view.platform === "" || game.platforms.includes(view.platform)),
  );
  if (view.sort === "added") return wanted;
  if (view.sort === "played") return wanted.sort((a, b) => lastOf(b, played) - lastOf(a, played));
  if (view.sort === "playTime") return wanted.sort((a, b) => secondsOf(b, played) - secondsOf(a, played));
  const names = new Intl.Collator(language, { numeric: true });
  return wanted.sort((a, b) => names.compare(a.game.name, b.game.name));
}

function lastOf(entry: EntryResponse, played: ReadonlyMap<string, Played>): number {
  return Date.parse(played.get(entry.gameId)?.lastPlayed ?? "") || 0;
}

function secondsOf(entry: EntryResponse, played: ReadonlyMap<string, Played>): number {
  return played.get(entry.gameId)?.seconds ?? 0;
}

/** The selection after toggling one game; `through` is the start of a range, as with Shift. */
export function toggleSelected(
  chosen: ReadonlySet<string>,
  order: readonly string[],
  id: string,
  { through }: { through: string | null },
): Set<string> {
  const [from, to] = [order.indexOf(through ?? id), order.indexOf(id)].sort((a, b) => a - b) as [number, number];
  const on = !chosen.has(id);
  const next = new Set(chosen);
  for (const one of from < 0 ? [id] : order.slice(from, to + 1)) {
    if (on) next.add(one);
    else next.delete(one);
  }
  return next;
}

/** The game that gets the focus after a removal; null if the list is empty. */
export function neighborAfterRemoval(order: readonly string[], gone: ReadonlySet<string>): string | null {
  const first = order.findIndex((id) => gone.has(id));
  const after = order.slice(first).find((id) => !gone.has(id));
  return after ?? order.slice(0, first).findLast((id) => !gone.has(id)) ?? null;
}
