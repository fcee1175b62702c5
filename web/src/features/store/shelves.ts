import type { GameCard, TagInUse } from "@/api";

export const ON_A_SHELF = 24;
const MOST_FEATURED = 6;
const MOST_SHELVES = 4;
const LEAST_GAMES = 3;
/** A game and its versions are imported in one go, which may take a while. */
const SETTLED = 24 * 60 * 60 * 1000;

/** The tags that get a shelf of their own: what games are about, before how they are played; the busiest first. */
export function busiestTags(tags: readonly TagInUse[]): TagInUse[] {
  const busy = tags.filter((tag) => tag.games >= LEAST_GAMES).sort((a, b) => b.games - a.games);
  const about = busy.filter(({ kind }) => kind === "genre" || kind === "theme");
  return [...about, ...busy.filter(({ kind }) => kind === "mode")].slice(0, MOST_SHELVES);
}

/** Whether a game has got a version since it came, and not merely with it. */
export function isUpdated({ added, updated }: Pick<GameCard, "added" | "updated">): boolean {
  return updated !== null && Date.parse(updated) - Date.parse(added) > SETTLED;
}

/** The games that stand first: those that are featured, or else the newest. */
export function standingFirst(featured: readonly GameCard[], newest: readonly GameCard[]): GameCard[] {
  return (featured.length ? featured : newest.slice(0, 1)).slice(0, MOST_FEATURED);
}
