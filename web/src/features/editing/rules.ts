import type { GameCounts, GameFolderStatus, GameTableRow, LibraryResponse } from "@/api";
import { matchesWords } from "@/kit/textSearch";

export const STATES = ["featured", "damaged", "noVersions", "offline", "unimported"] as const;
/** The states of a game that are shown as badges. */
export type GameState = (typeof STATES)[number];

/** The states that only the game folders tell. */
const FOLDER_STATES = ["offline", "unimported"] as const;
export type FolderState = (typeof FOLDER_STATES)[number];

export function isFolderState(state: GameState | ""): state is FolderState {
  return FOLDER_STATES.some((known) => known === state);
}

export const SORTS = ["name", "size", "newest"] as const;
export type GameSort = (typeof SORTS)[number];

/** A row of the games table; the size is in bytes. */
export interface GameRow {
  id: string;
  name: string;
  cover: string;
  libraryId: string;
  library: string;
  versions: number;
  size: number;
  created: string;
  states: ReadonlySet<GameState>;
  unimported: number;
}

/** What is loaded beside the games; the folders only once they have been checked. */
interface Known {
  libraries: readonly LibraryResponse[] | undefined;
  folders: readonly GameFolderStatus[] | undefined;
}

/** The filter of the table; "" matches all. */
export interface Wanted {
  words: string;
  state: GameState | "";
  library: string;
  sort: GameSort;
}

/** Combine the results of several API calls into rows. */
export function rowsOf(games: readonly GameTableRow[], { libraries, folders }: Known): GameRow[] {
  const names = new Map(libraries?.map((library) => [library.id, library.name]));
  const statuses = new Map(folders?.map((status) => [status.game.id, status]));
  return games.map((game) => {
    const status = statuses.get(game.id);
    const unimported = status?.unimportedVersions.length ?? 0;
    const holds: Record<GameState, boolean> = {
      featured: game.featured,
      damaged: game.damaged,
      noVersions: game.versions === 0,
      offline: status?.offline ?? false,
      unimported: unimported > 0,
    };
    return {
      id: game.id,
      name: game.name,
      cover: game.cover,
      libraryId: game.library,
      library: names.get(game.library) ?? "",
      versions: game.versions,
      size: game.size,
      created: game.created,
      states: new Set(STATES.filter((state) => holds[state])),
      unimported,
    };
  });
}

const ORDERS: Record<GameSort, (a: GameRow, b: GameRow) => number> = {
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  size: (a, b) => b.size - a.size,
  newest: (a, b) => b.created.localeCompare(a.created),
};

/** The rows of the games whose folders need attention, filtered and sorted. */
export function folderRowsOf(known: Known, { words, state, library, sort }: Wanted): GameRow[] {
  const games = known.folders?.map((status) => status.game) ?? [];
  return rowsOf(games, known)
    .filter((row) => (!state || row.states.has(state)) && (!library || row.libraryId === library))
    .filter((row) => matchesWords(row.name, words))
    .sort(ORDERS[sort]);
}

/** The number of games in each state, as far as it is known. */
export function countsOf(
  counts: GameCounts | undefined,
  folders: readonly GameFolderStatus[] | undefined,
): Partial<Record<GameState, number>> {
  return {
    ...counts,
    ...(folders && {
      offline: folders.filter(({ offline }) => offline).length,
      unimported: folders.filter(({ unimportedVersions }) => unimportedVersions.length).length,
    }),
  };
}
