import type { LibraryOverview, StatisticsResponse } from "@/api";

/** The content of a library; null is unknown. Sizes are in bytes. */
export interface GameInfo {
  games: number;
  waiting: number;
  size: number | null;
  free: number | null;
}

/** The statistics of each library, by id. */
export function factsOf(
  overview: LibraryOverview | undefined,
  statistics: StatisticsResponse | undefined,
): Map<string, GameInfo> {
  const facts = new Map<string, GameInfo>();
  const of = (id: string): GameInfo => {
    const known = facts.get(id) ?? { games: 0, waiting: 0, size: null, free: null };
    facts.set(id, known);
    return known;
  };
  for (const { game } of overview?.games ?? []) of(game.libraryId).games += 1;
  for (const [id, folders] of Object.entries(overview?.unimportedGames ?? {})) of(id).waiting = folders.length;
  for (const { library, size, free } of statistics?.storage ?? []) Object.assign(of(library.id), { size, free });
  return facts;
}
