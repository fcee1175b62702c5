import type { UserResponse } from "@/api";

/** Which users to list. */
export const WHO = ["all", "admins", "disabled"] as const;
export type Who = (typeof WHO)[number];

/** What the service selects the users by. */
export const SELECTED: Record<Who, { admin?: boolean; enabled?: boolean }> = {
  all: {},
  admins: { admin: true },
  disabled: { enabled: false },
};

/** Return whether a user is the last enabled administrator, who must not be disabled or deleted. */
export function isLastAdmin(user: UserResponse, users: readonly UserResponse[]): boolean {
  return user.admin && user.enabled && !users.some((other) => other.id !== user.id && other.admin && other.enabled);
}

/** A limit in the form: the server's default, unlimited, or a custom value in display units. */
export const LIMITS = ["general", "none", "own"] as const;
export interface Limit {
  kind: (typeof LIMITS)[number];
  own: string;
}

/** Convert a limit of the service (null for the default, 0 for unlimited) to a form value. */
export function limitOf(value: number | null, unit: number): Limit {
  if (value === null) return { kind: "general", own: "" };
  return value === 0 ? { kind: "none", own: "" } : { kind: "own", own: String(value / unit) };
}

/** Convert a form value to a limit of the service; undefined if the input is not a positive number or is too large. */
export function valueOf(limit: Limit, unit: number, most: number): number | null | undefined {
  if (limit.kind === "general") return null;
  if (limit.kind === "none") return 0;
  const value = Math.round(Number(limit.own.trim().replace(",", ".")) * unit);
  return value > 0 && value <= most ? value : undefined;
}
