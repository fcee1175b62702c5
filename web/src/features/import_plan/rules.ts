import type { ChosenVersion, ClueAnswer, PlanRowAnswer, ProposedVersion } from "@/api";
import { keyOf, type Known, ofCandidate } from "@/features/game_import/choices";
import type { Decision } from "@/features/game_import/decisions";

/** The game that a row will be imported as: what was decided, else the likeliest candidate, else none. */
export function gameOf(row: PlanRowAnswer, decision: Decision | undefined): Known | null {
  if (decision?.game !== undefined) return decision.game;
  const likeliest = row.candidates[0];
  return likeliest ? ofCandidate(likeliest) : null;
}

export function titleOf(row: PlanRowAnswer, decision: Decision | undefined): string {
  return gameOf(row, decision)?.name ?? row.title;
}

/** The games to choose among: the candidates, and one that was searched. */
export function gamesFor(row: PlanRowAnswer, decision: Decision | undefined): Known[] {
  const candidates = row.candidates.map(ofCandidate);
  const decided = decision?.game;
  const isNew = decided && !candidates.some((candidate) => keyOf(candidate) === keyOf(decided));
  return isNew ? [...candidates, decided] : candidates;
}

/** The versions that will be imported with a row: what was decided, else those that need nobody's help. */
export function versionsOf(row: PlanRowAnswer, decision: Decision | undefined): readonly ChosenVersion[] {
  return decision?.versions ?? row.versions.filter((version) => !version.remark).map(asProposed);
}

export function asProposed({ version, platform, onlySetup, launch, setup }: ProposedVersion): ChosenVersion {
  return { version, platform: platform || "Windows", onlySetup, launch, setup };
}

/** The one of the games to choose among that a number key means. */
export function numbered(games: readonly Known[], key: string): Known | undefined {
  return /^[1-9]$/.test(key) ? games[Number(key) - 1] : undefined;
}

/** Clues each once, with ids first: what was found in several places is told by the first. */
export function distinct(clues: readonly ClueAnswer[]): ClueAnswer[] {
  const byValue = new Map<string, ClueAnswer>();
  for (const clue of clues) {
    const key = `${clue.kind} ${clue.value.toLowerCase()}`;
    if (!byValue.has(key)) byValue.set(key, clue);
  }
  return [...byValue.values()].sort((a, b) => Number(b.kind === "ID") - Number(a.kind === "ID"));
}

/** The program that counts for a version: of an installer that which sets it up. */
export function programOf(version: ChosenVersion): string {
  return (version.onlySetup ? version.setup : version.launch) ?? "";
}

export function withProgram(version: ChosenVersion, path: string): ChosenVersion {
  return { ...version, launch: version.onlySetup ? "" : path, setup: version.onlySetup ? path : "" };
}
