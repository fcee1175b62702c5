import type { RouteLocationRaw } from "vue-router";

import type { TaskResponse } from "@/api";

/** The task types with a translation; others are shown by their type. */
const TRANSLATED_GROUPS = [
  "import:game",
  "import:version",
  "import:run",
  "import:versions",
  "remove:library",
  "plan:import",
  "read:parts",
  "reimport:version",
  "verify:version",
  "verify:content",
  "refresh:game",
  "patch:version",
  "patch:improve",
  "cleanup:invitations",
  "cleanup:sessions",
  "cleanup:objects",
  "cleanup:tasks",
  "cleanup:notifications",
  "cleanup:uploads",
  "place:upload",
  "change:files",
  "delete:unimported",
  "unpack:elsewhere",
  "erase:trash",
  "cleanup:trash",
  "announce:events",
  "deliver:email",
  "deliver:chat",
  "deliver:push",
  "deliver:webhooks",
  "scan:libraries",
  "delete:old-versions",
  "cleanup:statistics",
  "tint:pictures",
  "index:games",
  "backup:service",
] as const;

const MAINTENANCE = /^(cleanup:|tint:pictures$|index:games$|verify:content$|backup:service$)/;

/** Return whether a task type is scheduled maintenance of the service. */
export function isMaintenance(group: string): boolean {
  return MAINTENANCE.test(group);
}

/** Return whether all tasks of a type have the same name, which the type's translation replaces. */
export function hasFixedName(group: string): boolean {
  return isMaintenance(group) || group === "plan:import" || group === "announce:events" || group === "import:versions";
}

/** The message key of a task type, or null if it is not translated. */
export function groupKeyOf(group: string): string | null {
  return TRANSLATED_GROUPS.some((one) => one === group) ? group.replace(":", "-") : null;
}

/** How to retry a failed task: start it by type, follow a link to where it was started, or not at all. */
export type RetryMethod = { by: "start" } | { by: "place"; to: RouteLocationRaw; reason: string } | null;

const PLACES: Readonly<Record<string, { to: string; reason: string }>> = {
  "import:game": { to: "/admin/import", reason: "import" },
  "import:versions": { to: "/admin/import", reason: "newVersions" },
  "import:run": { to: "/admin/import", reason: "import" },
  "plan:import": { to: "/admin/import", reason: "plan" },
  "import:version": { to: "/admin/games", reason: "version" },
  "reimport:version": { to: "/admin/games", reason: "version" },
  "refresh:game": { to: "/admin/games", reason: "refresh" },
  "verify:version": { to: "/admin/damage", reason: "verify" },
};

/** Of a task about one game, the list of games shows only that one. */
export function retryMethodOf(
  { taskGroup, nameParameters }: Pick<TaskResponse, "taskGroup" | "nameParameters">,
  startable: readonly string[],
): RetryMethod {
  if (startable.includes(taskGroup)) return { by: "start" };
  const place = PLACES[taskGroup];
  if (!place) return null;
  const game = place.to === "/admin/games" ? nameParameters["game"] : undefined;
  return { by: "place", ...place, to: typeof game === "string" ? { path: place.to, query: { q: game } } : place.to };
}
