import type { GuessAnswer, Platform, VersionImportDraft } from "@/api";
import { mentions } from "@/kit/words";

/** What is filled in for a version that is to be imported. */
export interface VersionDraft {
  platform: Platform;
  delta: boolean;
  onlySetup: boolean;
  launch: string;
  launchArgs: string;
  setup: string;
  setupArgs: string;
  compatId: string;
}

/** What may be meant so far: programs of the platform that hold what was typed, the likeliest first. */
export function programs(
  guesses: readonly GuessAnswer[],
  { platform, typed }: { platform: Platform; typed: string },
): GuessAnswer[] {
  return guesses.filter((guess) => guess.platform === platform && mentions(guess.filename, typed));
}

/** The platform that a version is for as far as its programs tell. */
export function likeliestPlatform(guesses: readonly GuessAnswer[]): Platform {
  return guesses[0]?.platform ?? "Windows";
}

/** What is sent: fields that do not count for this version stay empty. */
export function bodyOf(id: string, version: string, draft: VersionDraft): VersionImportDraft {
  const launches = !draft.onlySetup;
  return {
    id,
    version,
    platform: draft.platform,
    delta: draft.delta,
    onlySetup: draft.onlySetup,
    launch: launches ? draft.launch.trim() : "",
    launchArgs: launches ? draft.launchArgs : "",
    setup: draft.setup.trim(),
    setupArgs: draft.setup.trim() ? draft.setupArgs : "",
    compatId: draft.compatId.trim() || null,
  };
}
