/** What a link suggests for a new token. */
export interface Suggestion {
  name: string;
  acls: string[];
}

/** The lifetimes of a token in days; null is as long as the server allows. */
export const LIFETIMES = { week: 7, month: 30, quarter: 90, year: 365, max: null } as const;
export type Lifetime = keyof typeof LIFETIMES;

const MAX_NAME_CHARACTERS = 128;
const DAY = 24 * 60 * 60 * 1000;

/** The permission groups in the order of the form, with the prefixes of their permissions; the first match wins. */
const GROUPS = [
  ["store", /^user:(store|object|content):/],
  ["library", /^user:(collections|library|request):/],
  ["devices", /^user:clients:/],
  ["account", /^user:/],
  ["games", /^system:(game|request):/],
  ["libraries", /^system:(library|import):/],
  ["catalogue", /^system:(company|tags):/],
  ["people", /^system:(auth|user):/],
  ["operation", /^system:/],
] as const;
export type GroupName = (typeof GROUPS)[number][0] | "other";

/** A group of permissions, and whether they are for administrators only. */
export interface Group {
  name: GroupName;
  isSystem: boolean;
  acls: string[];
}

/**
 * Read the `payload` of a link: base64 (both alphabets) of JSON with `name` and `acls`. It is untrusted; null if
 * invalid.
 */
export function readPayload(payload: string): Suggestion | null {
  try {
    const bytes = Uint8Array.from(
      atob(payload.replaceAll("-", "+").replaceAll("_", "/").replaceAll(" ", "+")),
      (letter) => letter.charCodeAt(0),
    );
    const said: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isSuggestion(said) ? { name: said.name.trim().slice(0, MAX_NAME_CHARACTERS), acls: said.acls } : null;
  } catch {
    return null;
  }
}

function isSuggestion(said: unknown): said is Suggestion {
  if (typeof said !== "object" || said === null || !("name" in said) || !("acls" in said)) return false;
  const { name, acls } = said;
  return typeof name === "string" && Array.isArray(acls) && acls.every((acl) => typeof acl === "string");
}

/** Split suggested permissions into grantable and other ones, without duplicates. */
export function sorted(wanted: readonly string[], grantable: Readonly<Record<string, string>>) {
  const once = [...new Set(wanted)];
  return {
    known: once.filter((acl) => Object.hasOwn(grantable, acl)),
    unknown: once.filter((acl) => !Object.hasOwn(grantable, acl)),
  };
}

/** Group permissions; empty groups are omitted. */
export function grouped(acls: readonly string[]): Group[] {
  const names = [...GROUPS.map(([name]) => name), "other" as const];
  return names
    .map((name) => ({ name, acls: acls.filter((acl) => groupOf(acl) === name) }))
    .filter((group) => group.acls.length > 0)
    .map((group) => ({ ...group, isSystem: group.acls.every((acl) => acl.startsWith("system:")) }));
}

function groupOf(acl: string): GroupName {
  return GROUPS.find(([, start]) => start.test(acl))?.[0] ?? "other";
}

/** The lifetimes that a server allows; the last one is its maximum. */
export function lifetimesUpTo(maxDays: number): Lifetime[] {
  return (Object.keys(LIFETIMES) as Lifetime[]).filter((name) => (LIFETIMES[name] ?? 0) < maxDays);
}

/** The expiry date of a token with this lifetime, as the API expects it; null for the maximum. */
export function expiryOf(lifetime: Lifetime, now: Date): string | null {
  const days = LIFETIMES[lifetime];
  return days === null ? null : new Date(now.getTime() + days * DAY).toISOString();
}
