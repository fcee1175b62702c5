import type { AgentState, InstalledGame, Job } from "@/api/agent";

/** What the button of a game does next. */
export type NextStep =
  | { step: "install" }
  | { step: "resume" }
  | { step: "busy"; job: Job }
  | { step: "retry"; job: Job }
  | { step: "update"; game: InstalledGame }
  | { step: "play"; game: InstalledGame }
  | { step: "starting" }
  | { step: "playing"; since: string }
  | { step: "lost"; game: InstalledGame };

export function isActive(job: Job): boolean {
  return job.state === "waiting" || job.state === "running" || job.state === "paused";
}

/** Whether a game runs or something is being done with one, so that the app must not be restarted. */
export function isBusy(state: AgentState): boolean {
  const playing = state.running.length + state.starting.length;
  return playing > 0 || state.jobs.some((job) => job.state === "running");
}

export function jobOf(state: AgentState, gameId: string): Job | undefined {
  return state.jobs.find((job) => job.game.id === gameId && isActive(job));
}

/** The next step for a game: what runs or is being done comes first, then what has failed, then the installation. */
export function nextStep(state: AgentState, gameId: string): NextStep {
  const running = state.running.find((each) => each.game === gameId);
  if (running) return { step: "playing", since: running.started };
  if (state.starting.includes(gameId)) return { step: "starting" };
  const job = jobOf(state, gameId);
  if (job) return { step: "busy", job };
  const game = state.games.find((each) => each.game === gameId);
  const failed = state.jobs.find((each) => each.game.id === gameId && each.state === "failed");
  if (failed && game?.state !== "installed") return { step: "retry", job: failed };
  if (!game) return { step: "install" };
  if (game.state === "unfinished") return { step: "resume" };
  if (game.state !== "installed") return { step: "lost", game };
  return game.newest ? { step: "update", game } : { step: "play", game };
}

/**
 * The articles that are release notes of the versions that an update brings: those after the installed one, up to the
 * newest. `versions` are oldest first; articles and result are newest first.
 */
export function notesOfUpdate<Article extends { versionId: string | null }>(
  articles: readonly Article[],
  versions: readonly { id: string; platform: string }[],
  game: Pick<InstalledGame, "version" | "newest">,
): Article[] {
  // The page may not have the newest version yet.
  const ours = versions.filter(({ platform }) => platform === game.newest?.platform);
  const ids = [...new Set([...ours.map(({ id }) => id), game.newest?.id ?? ""])];
  const newest = ids.indexOf(game.newest?.id ?? "");
  const installed = ids.indexOf(game.version?.id ?? "");
  const brought = ids.slice(installed < 0 ? newest : installed + 1, newest + 1);
  return articles.filter(({ versionId }) => versionId !== null && brought.includes(versionId));
}

/** The progress of a job in percent; null while it is unknown. */
export function percentOf(job: Job): number | null {
  const { progress } = job;
  return progress?.total ? Math.min(100, (progress.done / progress.total) * 100) : null;
}

/** The mean progress of all active jobs in percent. */
export function overallPercent(jobs: readonly Job[]): number {
  const active = jobs.filter(isActive);
  return active.reduce((sum, job) => sum + (percentOf(job) ?? 0), 0) / Math.max(1, active.length);
}

/** Write environment variables as lines of `NAME=value`. */
export function writeEnvironment(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

/** Parse lines of `NAME=value`; empty lines are ignored, and a line without a value sets an empty one. */
export function parseEnvironment(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim());
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split("=");
      return [name.trim(), value.join("=")];
    }),
  );
}

/** Parse a rate in megabytes per second, as people write it; null for no limit, undefined if it is not a number. */
export function parseRate(text: string): number | null | undefined {
  const typed = text.trim().replace(",", ".");
  if (!typed) return null;
  const rate = Number(typed);
  return Number.isFinite(rate) && rate >= 0.001 ? Math.round(rate * 1_000_000) : undefined;
}
