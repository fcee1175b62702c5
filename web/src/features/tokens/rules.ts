/** What a link suggests for a new token. */
export interface Suggestion {
  name: string;
  acls: string[];
}

/** How long a new token lasts, in days; null for ever. */
export const LIFETIMES = { week: 7, month: 30, quarter: 90, year: 365, never: null } as const;
export type Lifetime = keyof typeof LIFETIMES;

const MOST_NAME = 128;
const DAY = 24 * 60 * 60 * 1000;

/** Groups of rights in the order of the form, with what the rights of each begin with; the first that fits counts. */
const GROUPS = [
  ["store", /^user:(store|object|content):/],
  ["library", /^user:(collections|library):/],
  ["devices", /^user:clients:/],
  ["account", /^user:/],
  ["games", /^system:game:/],
  ["libraries", /^system:(library|import):/],
  ["catalogue", /^system:(company|tags):/],
  ["people", /^system:(auth|user):/],
  ["operation", /^system:/],
] as const;
export type GroupName = (typeof GROUPS)[number][0] | "other";

/** Rights that belong together, and whether only administrators have them. */
export interface Group {
  name: GroupName;
  isSystem: boolean;
  acls: string[];
}

/**
 * Read the `payload` of an address: base64, of either alphabet, of JSON with `name` and `acls`.
 * Null for anything else; it comes from anybody.
 */
export function readPayload(payload: string): Suggestion | null {
  try {
    const bytes = Uint8Array.from(
      atob(payload.replaceAll("-", "+").replaceAll("_", "/").replaceAll(" ", "+")),
      (letter) => letter.charCodeAt(0),
    );
    const said: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isSuggestion(said) ? { name: said.name.trim().slice(0, MOST_NAME), acls: said.acls } : null;
  } catch {
    return null;
  }
}

function isSuggestion(said: unknown): said is Suggestion {
  if (typeof said !== "object" || said === null || !("name" in said) || !("acls" in said)) return false;
  const { name, acls } = said;
  return typeof name === "string" && Array.isArray(acls) && acls.every((acl) => typeof acl === "string");
}

/** Part the rights that a link suggests into those that can be given and those that cannot, each named once. */
export function sorted(wanted: readonly string[], grantable: Readonly<Record<string, string>>) {
  const once = [...new Set(wanted)];
  return {
    known: once.filter((acl) => Object.hasOwn(grantable, acl)),
    unknown: once.filter((acl) => !Object.hasOwn(grantable, acl)),
  };
}

/** Put rights into groups; a group without any is left out. */
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

/** When a token of this lifetime ends, as bodies carry it; null for never. */
export function expiryOf(lifetime: Lifetime, now: Date): string | null {
  const days = LIFETIMES[lifetime];
  return days === null ? null : new Date(now.getTime() + days * DAY).toISOString();
}
