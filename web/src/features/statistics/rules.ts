import type { CheckAnswer, LibraryStorage, PlanAnswer, State } from "@/api";

const ORDER: Readonly<Record<State, number>> = { bad: 0, warning: 1, good: 2 };

/** What was looked at, what is broken first. */
export function byUrgency(checks: readonly CheckAnswer[]): CheckAnswer[] {
  return [...checks].sort((a, b) => ORDER[a.state] - ORDER[b.state]);
}

/** What a check is about: its words in the sentences, the place to mend it, and what it names. */
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

export function subjectOf(check: Pick<CheckAnswer, "name">): Subject {
  const known = SUBJECTS[check.name];
  if (known) return { ...known, named: "" };
  const named = NAMED.find(({ start }) => check.name.startsWith(start));
  if (named) return { words: named.words, named: check.name.slice(named.start.length), to: named.to };
  return { words: null, named: check.name, to: null };
}

/** Something an administrator can do now. `count` is how many things wait for it. */
export interface Chore {
  words: "library" | "certain" | "doubtful" | "damage" | "invitations" | "invite";
  count: number;
  to: string;
}

/** What is known of what waits; what is not known yet is undefined. */
export interface Waiting {
  libraries: number | undefined;
  plan: Pick<PlanAnswer, "certain" | "doubtful"> | undefined;
  damaged: number | undefined;
  invitations: number | undefined;
  users: number | undefined;
}

export function choresOf({ libraries, plan, damaged, invitations, users }: Waiting): Chore[] {
  const chores: (Chore | false)[] = [
    libraries === 0 && { words: "library", count: 1, to: "/admin/start" },
    !!damaged && { words: "damage", count: damaged, to: "/admin/damage" },
    !!plan?.certain && { words: "certain", count: plan.certain, to: "/admin/import" },
    !!plan?.doubtful && { words: "doubtful", count: plan.doubtful, to: "/admin/import" },
    users === 1 && invitations === 0 && { words: "invite", count: 1, to: "/admin/invitations?new=1" },
    !!invitations && { words: "invitations", count: invitations, to: "/admin/invitations" },
  ];
  return chores.filter((chore) => chore !== false);
}

/** How much there is, in all libraries. */
export function totalsOf(storage: readonly LibraryStorage[]): { games: number; versions: number; size: number } {
  const games = storage.flatMap((one) => one.games);
  return {
    games: games.length,
    versions: games.reduce((sum, game) => sum + game.versions, 0),
    size: storage.reduce((sum, one) => sum + one.size, 0),
  };
}

/** How much of a disk, in percent, the games of a library take of what they and the free space are together. */
export function takenOf({ size, free }: Pick<LibraryStorage, "size" | "free">): number | null {
  if (free === null || size + free <= 0) return null;
  return (100 * size) / (size + free);
}
