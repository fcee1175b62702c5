import type { DamagedVersion, LibraryAnswer, LibraryOverview, StatisticsAnswer } from "@/api";
import { mentions } from "@/kit/words";

export const STATES = ["featured", "damaged", "offline", "noVersions", "unimported"] as const;
/** What is to be said of a game beside that it is there. */
export type GameState = (typeof STATES)[number];

export const SORTS = ["name", "size", "newest"] as const;
export type GameSort = (typeof SORTS)[number];

/** A game in the table of all games; sizes are bytes, null is not known yet. */
export interface GameRow {
  id: string;
  name: string;
  cover: string;
  libraryId: string;
  library: string;
  versions: number | null;
  size: number | null;
  created: string;
  states: ReadonlySet<GameState>;
  unimported: number;
}

interface Known {
  overview: LibraryOverview;
  libraries: readonly LibraryAnswer[] | undefined;
  statistics: StatisticsAnswer | undefined;
  damage: readonly DamagedVersion[] | undefined;
}

/** Put together what different calls tell of games. */
export function rowsOf({ overview, libraries, statistics, damage }: Known): GameRow[] {
  const names = new Map(libraries?.map((library) => [library.id, library.name]));
  const stored = new Map(statistics?.storage.flatMap(({ games }) => games.map((game) => [game.id, game] as const)));
  const damaged = new Set(damage?.map(({ game }) => game.id));
  return overview.games.map(({ game, status }) => {
    const unimported = typeof status === "string" ? 0 : status.unimportedVersions.length;
    const holds: Record<GameState, boolean> = {
      featured: game.featured,
      damaged: damaged.has(game.id),
      offline: typeof status === "string",
      noVersions: typeof status !== "string" && status.noVersions,
      unimported: unimported > 0,
    };
    return {
      id: game.id,
      name: game.mName,
      cover: game.mCoverObjectId,
      libraryId: game.libraryId,
      library: names.get(game.libraryId) ?? "",
      versions: statistics ? (stored.get(game.id)?.versions ?? 0) : null,
      size: statistics ? (stored.get(game.id)?.size ?? 0) : null,
      created: game.created,
      states: new Set(STATES.filter((state) => holds[state])),
      unimported,
    };
  });
}

/** What of the games is wanted; "" is any. */
export interface Wanted {
  words: string;
  state: GameState | "";
  library: string;
  sort: GameSort;
}

const ORDERS: Record<GameSort, (a: GameRow, b: GameRow) => number> = {
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  size: (a, b) => (b.size ?? 0) - (a.size ?? 0),
  newest: (a, b) => b.created.localeCompare(a.created),
};

export function chosenOf(rows: readonly GameRow[], { words, state, library, sort }: Wanted): GameRow[] {
  return rows
    .filter((row) => (!state || row.states.has(state)) && (!library || row.libraryId === library))
    .filter((row) => mentions(row.name, words))
    .sort(ORDERS[sort]);
}
