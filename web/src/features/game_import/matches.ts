import type { CandidateResponse, MetadataChoice, MetadataResult } from "@/api";

/** A game that a provider offers as a match for a folder. */
export interface GameMatch extends MetadataChoice {
  sourceName: string;
  year: number;
  icon: string;
  description: string;
  reasons: readonly string[];
  /** The confidence from 0 to 1; null if it was not rated. */
  confidence: number | null;
}

export function matchOfCandidate(found: CandidateResponse): GameMatch {
  const { id, sourceId, sourceName, name, year, icon, description, reasons, confidence } = found;
  return { id, sourceId, sourceName, name, year, icon, description, reasons, confidence };
}

function matchOfResult(found: MetadataResult): GameMatch {
  const { id, sourceId, sourceName, name, year, icon, description } = found;
  return { id, sourceId, sourceName, name, year, icon, description, reasons: [], confidence: null };
}

/** Search results as matches: one for each game, although several providers know it. The first provider is chosen. */
export function mergedMatches(results: readonly MetadataResult[]): GameMatch[] {
  const games = new Map<number, GameMatch>();
  for (const result of results) {
    const known = games.get(result.group);
    const found = matchOfResult(result);
    games.set(result.group, known ? withProvider(known, found) : found);
  }
  return [...games.values()];
}

/** A match with what another provider knows in addition. */
function withProvider(match: GameMatch, other: GameMatch): GameMatch {
  const { sourceName, year, icon, description } = match;
  return {
    ...match,
    sourceName: `${sourceName} · ${other.sourceName}`,
    year: year || other.year,
    icon: icon || other.icon,
    description: description || other.description,
  };
}

/** A match by a typed name alone, without metadata. */
export function matchByName(name: string): GameMatch {
  return {
    id: name,
    sourceId: "Manual",
    sourceName: "",
    name,
    year: 0,
    icon: "",
    description: "",
    reasons: [],
    confidence: null,
  };
}

export function metadataOf({ id, sourceId, name }: MetadataChoice): MetadataChoice {
  return { id, sourceId, name };
}

/** A key that is unique across providers. */
export function keyOf({ sourceId, id }: Pick<MetadataChoice, "sourceId" | "id">): string {
  return `${sourceId}/${id}`;
}

// Common additions to folder names: years and ids in brackets, versions, store tags.
const BRACKETS = /[[({][^\])}]*[\])}]/g;
const LEFTOVERS = /(?:[\s._-]+(?:v?\d+(?:[._]\d+)+|v\d+|gog|steam|portable|setup|windows|linux|win(?:32|64)?))+$/i;

/** Return the search text for a folder: its name without such additions. */
export function searchFor(folder: string): string {
  const bare = folder
    .replace(/\.(?:zip|7z|rar|iso|exe|tar(?:\.\w+)?|tgz|tbz2?|txz|tzst|tlz)$/i, "")
    .replace(BRACKETS, " ")
    .trim();
  const spaced = bare.replace(LEFTOVERS, "").replace(/[._]+/g, " ").replace(/\s+/g, " ").trim();
  return spaced || folder;
}
