import type { SelectedVersion, ClueResponse, PlanRowResponse, ProposedVersion, RemarkResponse } from "@/api";
import { keyOf, type GameMatch, matchOfCandidate } from "@/features/game_import/matches";
import type { ApprovalForm } from "@/features/game_import/decisions";
import { ONLY_VERSION } from "@/features/version_unpacking/rules";

/** The game that a row will be imported as: the decided one, else the most likely candidate, else none. */
export function gameOf(row: PlanRowResponse, decision: ApprovalForm | undefined): GameMatch | null {
  if (decision?.game !== undefined) return decision.game;
  const likeliest = row.candidates[0];
  return likeliest ? matchOfCandidate(likeliest) : null;
}

export function titleOf(row: PlanRowResponse, decision: ApprovalForm | undefined): string {
  return gameOf(row, decision)?.name ?? row.title;
}

/** The candidates of a row, including a searched game. */
export function gamesFor(row: PlanRowResponse, decision: ApprovalForm | undefined): GameMatch[] {
  const candidates = row.candidates.map(matchOfCandidate);
  const decided = decision?.game;
  const isNew = decided && !candidates.some((candidate) => keyOf(candidate) === keyOf(decided));
  return isNew ? [...candidates, decided] : candidates;
}

/** The versions that will be imported with a row: the decided ones, else those that need no review. */
export function versionsOf(row: PlanRowResponse, decision: ApprovalForm | undefined): readonly SelectedVersion[] {
  return decision?.versions ?? row.versions.filter((version) => !version.remark).map(asProposed);
}

export function asProposed({
  version,
  platform,
  onlySetup,
  launch,
  setup,
  setupArgs,
}: ProposedVersion): SelectedVersion {
  return { version, platform: platform || "Windows", onlySetup, launch, setup, setupArgs };
}

/** The candidate that a number key selects. */
export function numbered(games: readonly GameMatch[], key: string): GameMatch | undefined {
  return /^[1-9]$/.test(key) ? games[Number(key) - 1] : undefined;
}

/** Clues without duplicates, ids first; of equal clues the first is kept. */
export function distinct(clues: readonly ClueResponse[]): ClueResponse[] {
  const byValue = new Map<string, ClueResponse>();
  for (const clue of clues) {
    const key = `${clue.kind} ${clue.value.toLowerCase()}`;
    if (!byValue.has(key)) byValue.set(key, clue);
  }
  return [...byValue.values()].sort((a, b) => Number(b.kind === "ID") - Number(a.kind === "ID"));
}

/** The main program of a version: for an installer, its setup. */
export function programOf(version: SelectedVersion): string {
  return (version.onlySetup ? version.setup : version.launch) ?? "";
}

export function withProgram(version: SelectedVersion, path: string): SelectedVersion {
  return { ...version, launch: version.onlySetup ? "" : path, setup: version.onlySetup ? path : "" };
}

/** Why no version of a row can be imported, if that is so: what the service says about the newest one. */
export function versionRemark(row: PlanRowResponse, decision: ApprovalForm | undefined): RemarkResponse | undefined {
  const newest = row.versions.at(-1);
  if (!newest?.remark || versionsOf(row, decision).length) return undefined;
  return { text: newest.remark, code: newest.remarkCode, parameters: newest.remarkParameters };
}

const FOLDER_REMARKS = [
  "imported-from-folder",
  "taken-by-folder",
  "name-in-store",
  "name-in-store-alone",
  "name-in-store-beside",
];

/** Whether a remark is about the folder, and not about a provider. */
export function isAboutFolder({ code }: RemarkResponse): boolean {
  return FOLDER_REMARKS.includes(code ?? "");
}

/** Whether a person is to look at a folder before it is imported: it may be the same game as another one. */
export function needsReview(row: Pick<PlanRowResponse, "remarks">): boolean {
  return row.remarks.some(isAboutFolder);
}

/** The remarks that several rows have, such as that a provider is unavailable: shown once instead of in every row. */
export function sharedRemarks(rows: readonly Pick<PlanRowResponse, "remarks">[]): RemarkResponse[] {
  const remarks = rows.flatMap((row) => row.remarks).filter((remark) => !isAboutFolder(remark));
  const times = new Map<string, number>();
  for (const { text } of remarks) times.set(text, (times.get(text) ?? 0) + 1);
  const shared = remarks.filter(({ text }) => (times.get(text) ?? 0) > 1);
  return [...new Map(shared.map((remark) => [remark.text, remark])).values()];
}

/** Split a list into parts with at most `most` items. */
export function chunksOf<T>(items: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, at) => items.slice(at * most, (at + 1) * most));
}

/** Whether a folder has one version, which is the folder itself, so that it can be added to another game. */
export function canBeVersion(row: PlanRowResponse): boolean {
  return row.versions.length === 1 && row.versions[0]?.version === ONLY_VERSION;
}
