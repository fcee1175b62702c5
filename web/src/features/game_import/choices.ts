import type { CandidateAnswer, MetadataChoice, MetadataResult } from "@/api";

/** A game as a provider knows it, and why it may be the one: what somebody chooses among. */
export interface Known extends MetadataChoice {
  sourceName: string;
  year: number;
  icon: string;
  description: string;
  reasons: readonly string[];
  /** How sure it is, 0 to 1; null where nobody has judged. */
  confidence: number | null;
}

export function ofCandidate(found: CandidateAnswer): Known {
  const { id, sourceId, sourceName, name, year, icon, description, reasons, confidence } = found;
  return { id, sourceId, sourceName, name, year, icon, description, reasons, confidence };
}

export function ofResult(found: MetadataResult): Known {
  const { id, sourceId, sourceName, name, year, icon, description } = found;
  return { id, sourceId, sourceName, name, year, icon, description, reasons: [], confidence: null };
}

/** A name that somebody typed: it is taken at its word, and nothing else is known. */
export function byHand(name: string): Known {
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

/** Tell one known game from another, whoever knows it. */
export function keyOf({ sourceId, id }: Pick<MetadataChoice, "sourceId" | "id">): string {
  return `${sourceId}/${id}`;
}

// What people and shops put into names of folders: years and ids in brackets, versions, marks of shops.
const BRACKETS = /[[({][^\])}]*[\])}]/g;
const LEFTOVERS = /(?:[\s._-]+(?:v?\d+(?:[._]\d+)+|v\d+|gog|steam|portable|setup|windows|linux|win(?:32|64)?))+$/i;

/** What to search for a folder: its name without what is no part of a game's. */
export function searchFor(folder: string): string {
  const bare = folder
    .replace(/\.(?:zip|7z|rar|tar|exe)$/i, "")
    .replace(BRACKETS, " ")
    .trim();
  const spaced = bare.replace(LEFTOVERS, "").replace(/[._]+/g, " ").replace(/\s+/g, " ").trim();
  return spaced || folder;
}
