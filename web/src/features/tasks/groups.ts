import type { RouteLocationRaw } from "vue-router";

/** The kinds of tasks that have words of their own; others are called by their group. */
const WORDED = [
  "import:game",
  "import:version",
  "import:run",
  "plan:import",
  "reimport:version",
  "verify:version",
  "verify:content",
  "refresh:game",
  "patch:version",
  "cleanup:invitations",
  "cleanup:sessions",
  "cleanup:objects",
  "cleanup:tasks",
  "cleanup:statistics",
  "tint:pictures",
] as const;

const MAINTENANCE = /^(cleanup:|tint:pictures$|verify:content$)/;

/** Tell whether a group is what the service does by itself, for nobody's game in particular. */
export function isMaintenance(group: string): boolean {
  return MAINTENANCE.test(group);
}

/** Tell whether all tasks of a group are called the same, so that our words for the group say it as well. */
export function isCalledAlike(group: string): boolean {
  return isMaintenance(group) || group === "plan:import";
}

/** The key of a group's words, or null if it has none. */
export function wordsOf(group: string): string | null {
  return WORDED.some((one) => one === group) ? group.replace(":", "-") : null;
}

/** How something that failed is tried again: started by its group, begun anew where it was begun, or by itself. */
export type Again = { by: "start" } | { by: "place"; to: RouteLocationRaw; reason: string } | null;

const PLACES: Readonly<Record<string, { to: string; reason: string }>> = {
  "import:game": { to: "/admin/import", reason: "import" },
  "import:run": { to: "/admin/import", reason: "import" },
  "plan:import": { to: "/admin/import", reason: "plan" },
  "import:version": { to: "/admin/games", reason: "version" },
  "reimport:version": { to: "/admin/games", reason: "version" },
  "refresh:game": { to: "/admin/games", reason: "refresh" },
  "verify:version": { to: "/admin/damage", reason: "verify" },
};

export function againOf(group: string, startable: readonly string[]): Again {
  if (startable.includes(group)) return { by: "start" };
  const place = PLACES[group];
  return place ? { by: "place", ...place } : null;
}
