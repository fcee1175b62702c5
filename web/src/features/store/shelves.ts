import type { GameCard, TagInUse } from "@/api";

export const ON_A_SHELF = 24;
const MOST_FEATURED = 6;
const MOST_SHELVES = 4;
const LEAST_GAMES = 3;

/** The tags that get a shelf of their own: what games are about, before how they are played; the busiest first. */
export function busiestTags(tags: readonly TagInUse[]): TagInUse[] {
  const busy = tags.filter((tag) => tag.games >= LEAST_GAMES).sort((a, b) => b.games - a.games);
  const about = busy.filter(({ kind }) => kind === "genre" || kind === "theme");
  return [...about, ...busy.filter(({ kind }) => kind === "mode")].slice(0, MOST_SHELVES);
}

/** The games that stand first: those that are featured, or else the newest. */
export function standingFirst(featured: readonly GameCard[], newest: readonly GameCard[]): GameCard[] {
  return (featured.length ? featured : newest.slice(0, 1)).slice(0, MOST_FEATURED);
}
