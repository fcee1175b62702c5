import type { GameCard, TagInUse } from "@/api";

export const CAROUSEL_GAMES = 24;
const MAX_FEATURED = 6;
const MAX_CAROUSELS = 4;
const MIN_CAROUSEL_GAMES = 3;
/** A game and its first versions are imported together, which may take this long. */
const SETTLED = 24 * 60 * 60 * 1000;

/** The tags with a carousel: genres and themes before modes, the most common first. */
export function busiestTags(tags: readonly TagInUse[]): TagInUse[] {
  const busy = tags.filter((tag) => tag.games >= MIN_CAROUSEL_GAMES).sort((a, b) => b.games - a.games);
  const about = busy.filter(({ kind }) => kind === "genre" || kind === "theme");
  return [...about, ...busy.filter(({ kind }) => kind === "mode")].slice(0, MAX_CAROUSELS);
}

/** Return whether a version was added to a game after its import. */
export function isUpdated({ added, updated }: Pick<GameCard, "added" | "updated">): boolean {
  return updated !== null && Date.parse(updated) - Date.parse(added) > SETTLED;
}

/** The featured games, or else the newest one. */
export function featuredGames(featured: readonly GameCard[], newest: readonly GameCard[]): GameCard[] {
  return (featured.length ? featured : newest.slice(0, 1)).slice(0, MAX_FEATURED);
}
