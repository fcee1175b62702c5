import type { LibraryOverview, StatisticsAnswer } from "@/api";

/** What lies in a library; null is not known. Sizes are bytes. */
export interface Facts {
  games: number;
  waiting: number;
  size: number | null;
  free: number | null;
}

/** What is known of each library, by its id. */
export function factsOf(
  overview: LibraryOverview | undefined,
  statistics: StatisticsAnswer | undefined,
): Map<string, Facts> {
  const facts = new Map<string, Facts>();
  const of = (id: string): Facts => {
    const known = facts.get(id) ?? { games: 0, waiting: 0, size: null, free: null };
    facts.set(id, known);
    return known;
  };
  for (const { game } of overview?.games ?? []) of(game.libraryId).games += 1;
  for (const [id, folders] of Object.entries(overview?.unimportedGames ?? {})) of(id).waiting = folders.length;
  for (const { library, size, free } of statistics?.storage ?? []) Object.assign(of(library.id), { size, free });
  return facts;
}
