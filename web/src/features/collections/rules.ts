import type { EntryResponse, Platform } from "@/api";
import { PLATFORMS } from "@/features/games/constants";
import { matchesWords } from "@/kit/textSearch";

export const SORTS = ["added", "name"] as const;
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

/** The visible games of a list. Entries arrive latest first. */
export function visibleEntries(entries: readonly EntryResponse[], view: View, language: string): EntryResponse[] {
  const wanted = entries.filter(
    ({ game }) =>
      matchesWords(game.name, view.typed) && (view.platform === "" || game.platforms.includes(view.platform)),
  );
  if (view.sort === "added") return wanted;
  const names = new Intl.Collator(language, { numeric: true });
  return wanted.sort((a, b) => names.compare(a.game.name, b.game.name));
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
