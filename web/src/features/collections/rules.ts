import type { EntryAnswer, Platform } from "@/api";
import { PLATFORMS } from "@/features/games/words";
import { mentions } from "@/kit/words";

export const SORTS = ["added", "name"] as const;
export type Sort = (typeof SORTS)[number];

/** What of one's games is looked at. */
export interface View {
  typed: string;
  sort: Sort;
  platform: Platform | "";
}

/** Read a view from words of an address; what makes no sense there counts as unset. */
export function viewOf(typed: string, sort: string, platform: string): View {
  return {
    typed,
    sort: SORTS.find((one) => one === sort) ?? "added",
    platform: PLATFORMS.find((one) => one === platform) ?? "",
  };
}

/** The games of a view. Entries come latest first, as the service gives them. */
export function seen(entries: readonly EntryAnswer[], view: View, language: string): EntryAnswer[] {
  const wanted = entries.filter(
    ({ game }) => mentions(game.name, view.typed) && (view.platform === "" || game.platforms.includes(view.platform)),
  );
  if (view.sort === "added") return wanted;
  const names = new Intl.Collator(language, { numeric: true });
  return wanted.sort((a, b) => names.compare(a.game.name, b.game.name));
}

/** What is chosen after one more was ticked; `through` takes all from the one ticked before along, as with Shift. */
export function ticked(
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

/** Which game comes to stand where some were, for the eyes and the keyboard to go on from; null if none is left. */
export function neighbour(order: readonly string[], gone: ReadonlySet<string>): string | null {
  const first = order.findIndex((id) => gone.has(id));
  const after = order.slice(first).find((id) => !gone.has(id));
  return after ?? order.slice(0, first).findLast((id) => !gone.has(id)) ?? null;
}
