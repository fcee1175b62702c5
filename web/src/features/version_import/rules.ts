import type { LaunchGuessResponse, Platform, VersionImportRequest } from "@/api";
import { matchesWords } from "@/kit/textSearch";

/** The form values of a version to import. */
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

/** The suggestions for a program: those of the platform that contain the typed text, the most likely first. */
export function programs(
  guesses: readonly LaunchGuessResponse[],
  { platform, typed }: { platform: Platform; typed: string },
): LaunchGuessResponse[] {
  return guesses.filter((guess) => guess.platform === platform && matchesWords(guess.filename, typed));
}

/**
 * The most likely platform of a version, from its programs. That of a delta is a platform of the game's versions, of
 * which `bases` are the platforms, newest first.
 */
export function likeliestPlatform(guesses: readonly LaunchGuessResponse[], bases?: readonly Platform[]): Platform {
  const likely = guesses.find(({ platform }) => !bases?.length || bases.includes(platform));
  return likely?.platform ?? bases?.[0] ?? "Windows";
}

/** The draft of an installer, or of a version that is launched: the program that was found is kept. */
export function withOnlySetup(draft: VersionDraft, onlySetup: boolean): VersionDraft {
  if (onlySetup) return { ...draft, onlySetup, setup: draft.setup || draft.launch };
  return { ...draft, onlySetup, launch: draft.launch || draft.setup };
}

/** The request body; fields that do not apply to this version are empty. */
export function bodyOf(id: string, version: string, draft: VersionDraft): VersionImportRequest {
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
