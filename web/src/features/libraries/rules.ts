import type { LibraryCountsResponse, RulesResponse, StatisticsResponse } from "@/api";

/** The content of a library; null is unknown. Sizes are in bytes. */
export interface GameInfo {
  games: number;
  waiting: number;
  size: number | null;
  free: number | null;
}

/** The statistics of each library, by id. */
export function factsOf(
  counts: readonly LibraryCountsResponse[] | undefined,
  statistics: StatisticsResponse | undefined,
): Map<string, GameInfo> {
  const facts = new Map<string, GameInfo>();
  const of = (id: string): GameInfo => {
    const known = facts.get(id) ?? { games: 0, waiting: 0, size: null, free: null };
    facts.set(id, known);
    return known;
  };
  for (const { library, games, unimported } of counts ?? [])
    Object.assign(of(library), { games, waiting: unimported ?? 0 });
  for (const { library, size, free } of statistics?.storage ?? []) Object.assign(of(library.id), { size, free });
  return facts;
}

/** Rules without the blank lines that were typed between patterns. */
export function withoutBlanks(rules: RulesResponse): RulesResponse {
  return { ...rules, ignore: rules.ignore.map((pattern) => pattern.trim()).filter(Boolean) };
}
