import type { UserAnswer } from "@/api";
import { mentions } from "@/kit/words";

/** Which users are looked at. */
export const WHO = ["all", "admins", "disabled"] as const;
export type Who = (typeof WHO)[number];

/** The users of a kind of whom some name or address mentions what was typed. */
export function foundUsers(users: readonly UserAnswer[], { typed, who }: { typed: string; who: Who }): UserAnswer[] {
  return users.filter(
    (user) => isOf(who, user) && mentions(`${user.displayName} ${user.username} ${user.email}`, typed),
  );
}

function isOf(who: Who, user: UserAnswer): boolean {
  if (who === "admins") return user.admin;
  return who === "all" || !user.enabled;
}

/** Tell whether nobody else could administrate the service: the last enabled admin stays one (decisions 4). */
export function isLastAdmin(user: UserAnswer, users: readonly UserAnswer[]): boolean {
  return user.admin && user.enabled && !users.some((other) => other.id !== user.id && other.admin && other.enabled);
}

/** A limit as it is chosen: what counts for everybody, none at all, or an own one in units that people count in. */
export const LIMITS = ["general", "none", "own"] as const;
export interface Limit {
  kind: (typeof LIMITS)[number];
  own: string;
}

/** A limit of the service's (null for the general one, 0 for none) as it is chosen. */
export function limitOf(value: number | null, unit: number): Limit {
  if (value === null) return { kind: "general", own: "" };
  return value === 0 ? { kind: "none", own: "" } : { kind: "own", own: String(value / unit) };
}

/** A chosen limit as the service has it; undefined if what was typed is no number above zero, or too large. */
export function valueOf(limit: Limit, unit: number, most: number): number | null | undefined {
  if (limit.kind === "general") return null;
  if (limit.kind === "none") return 0;
  const value = Math.round(Number(limit.own.trim().replace(",", ".")) * unit);
  return value > 0 && value <= most ? value : undefined;
}
