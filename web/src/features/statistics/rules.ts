import type { CheckResponse, LibraryStorage, PlanResponse, CheckState } from "@/api";

const ORDER: Readonly<Record<CheckState, number>> = { bad: 0, warning: 1, good: 2 };

/** Sort checks by severity, worst first. */
export function byUrgency(checks: readonly CheckResponse[]): CheckResponse[] {
  return [...checks].sort((a, b) => ORDER[a.state] - ORDER[b.state]);
}

/** The subject of a check: its message key, a link to fix it, and its name. */
export interface Subject {
  words: string | null;
  named: string;
  to: string | null;
}

const SUBJECTS: Readonly<Record<string, { words: string; to: string | null }>> = {
  Libraries: { words: "libraries", to: "/admin/start" },
  "Data folder": { words: "disk", to: null },
  Versions: { words: "versions", to: "/admin/damage" },
  Tasks: { words: "tasks", to: "/admin/tasks?state=failed" },
  Address: { words: "address", to: null },
  "Metadata providers": { words: "providers", to: null },
  Database: { words: "database", to: null },
};
const NAMED = [
  { start: "Library ", words: "library", to: "/admin/libraries" },
  { start: "Metadata provider ", words: "provider", to: null },
] as const;

export function subjectOf(check: Pick<CheckResponse, "name">): Subject {
  const known = SUBJECTS[check.name];
  if (known) return { ...known, named: "" };
  const named = NAMED.find(({ start }) => check.name.startsWith(start));
  if (named) return { words: named.words, named: check.name.slice(named.start.length), to: named.to };
  return { words: null, named: check.name, to: null };
}

/** Something an administrator should do; `count` is the number of affected items. */
export interface PendingAction {
  words: "library" | "versions" | "certain" | "doubtful" | "damage" | "missing" | "requests" | "invitations" | "invite";
  count: number;
  to: string;
}

/** The counts that pending actions are based on; undefined while loading. */
export interface PendingCounts {
  libraries: number | undefined;
  plan: Pick<PlanResponse, "certain" | "doubtful"> | undefined;
  /** The new versions of imported games. */
  versions: number | undefined;
  damaged: number | undefined;
  /** The versions whose files are gone. */
  missing: number | undefined;
  /** The requests for games that nobody has answered. */
  requests: number | undefined;
  invitations: number | undefined;
  users: number | undefined;
}

export function pendingActionsOf({
  libraries,
  plan,
  versions,
  damaged,
  missing,
  requests,
  invitations,
  users,
}: PendingCounts): PendingAction[] {
  const chores: (PendingAction | false)[] = [
    libraries === 0 && { words: "library", count: 1, to: "/admin/start" },
    !!damaged && { words: "damage", count: damaged, to: "/admin/damage" },
    !!missing && { words: "missing", count: missing, to: "/admin/damage/moved" },
    !!versions && { words: "versions", count: versions, to: "/admin/import" },
    !!plan?.certain && { words: "certain", count: plan.certain, to: "/admin/import" },
    !!plan?.doubtful && { words: "doubtful", count: plan.doubtful, to: "/admin/import" },
    !!requests && { words: "requests", count: requests, to: "/requests" },
    users === 1 && invitations === 0 && { words: "invite", count: 1, to: "/admin/invitations?new=1" },
    !!invitations && { words: "invitations", count: invitations, to: "/admin/invitations" },
  ];
  return chores.filter((chore) => chore !== false);
}

/** The totals of all libraries. */
export function totalsOf(storage: readonly LibraryStorage[]): { games: number; versions: number; size: number } {
  const sum = (number: (one: LibraryStorage) => number) => storage.reduce((total, one) => total + number(one), 0);
  return {
    games: sum((one) => one.gameCount),
    versions: sum((one) => one.versionCount),
    size: sum((one) => one.size),
  };
}

/** The percentage of a disk that a library's games use, of their size and the free space together. */
export function usedPercentOf({ size, free }: Pick<LibraryStorage, "size" | "free">): number | null {
  if (free === null || size + free <= 0) return null;
  return (100 * size) / (size + free);
}
