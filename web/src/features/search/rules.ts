import type { Component } from "vue";
import type { RouteLocationRaw } from "vue-router";

import type { PictureResponse } from "@/api";
import { normalizeText } from "@/kit/textSearch";

/** An option of the palette. */
export interface Entry {
  key: string;
  title: string;
  /** Another word that finds it. */
  alias?: string;
  detail?: string | undefined;
  to?: RouteLocationRaw;
  run?: () => void;
  icon?: Component;
  game?: { name: string; cover: PictureResponse | null };
}

export const GROUPS = ["recent", "games", "collections", "actions", "pages", "people"] as const;

export interface Group {
  name: (typeof GROUPS)[number];
  entries: readonly Entry[];
}

// A single letter occurs in almost everything.
const MIN_INFIX_CHARACTERS = 2;

/** How well the typed text matches a title: 5 is equal, 1 only the letters in order, 0 no match. */
export function matchScore(title: string, typed: string): number {
  const [whole, part] = [normalizeText(title), normalizeText(typed)];
  if (whole === part) return 5;
  if (whole.startsWith(part)) return 4;
  const words = whole.split(/[^\p{L}\p{N}]+/u);
  if (part.split(" ").every((start) => words.some((word) => word.startsWith(start)))) return 3;
  if (part.length < MIN_INFIX_CHARACTERS) return 0;
  if (whole.includes(part)) return 2;
  return whole[0] === part[0] && holdsInOrder(whole, part.replaceAll(" ", "")) ? 1 : 0;
}

function holdsInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    from = text.indexOf(letter, from) + 1;
    if (!from) return false;
  }
  return true;
}

/** The matching entries, best first; all of them without typed text. */
export function meant(entries: readonly Entry[], typed: string, most: number): Entry[] {
  if (!typed) return entries.slice(0, most);
  return entries
    .map((entry) => ({ entry, near: nearness(entry, typed) }))
    .filter(({ near }) => near > 0)
    .sort((a, b) => b.near - a.near)
    .slice(0, most)
    .map(({ entry }) => entry);
}

function nearness({ title, alias }: Entry, typed: string): number {
  return Math.max(matchScore(title, typed), alias ? matchScore(alias, typed) : 0);
}

// The store's results count even if they are spelled differently.
const FOUND = 1;

/** The groups that are not empty, the one with the best match first. */
export function arranged(groups: readonly Group[], typed: string): Group[] {
  const filled = groups.filter(({ entries }) => entries.length);
  if (!typed) return filled;
  const best = ({ entries }: Group) => Math.max(FOUND, ...entries.map((entry) => nearness(entry, typed)));
  return filled
    .map((group) => ({ group, near: best(group) }))
    .sort((a, b) => b.near - a.near)
    .map(({ group }) => group);
}

const MIN_VERB_CHARACTERS = 3;

/** The search text without a verb: “edit tetris” searches “tetris”. */
export function stripVerb(typed: string, verb: string): string {
  const words = typed.split(" ");
  const isVerb = (word = "") =>
    word.length >= MIN_VERB_CHARACTERS && normalizeText(verb).startsWith(normalizeText(word));
  if (words.length < 2) return typed;
  if (isVerb(words[0])) return words.slice(1).join(" ");
  return isVerb(words.at(-1)) ? words.slice(0, -1).join(" ") : typed;
}

/** The entry a number of steps away, wrapping around. Without a current entry it starts at an end. */
export function stepped(keys: readonly string[], from: string | undefined, step: 1 | -1): string | null {
  if (!keys.length) return null;
  const at = from === undefined ? -1 : keys.indexOf(from);
  const next = at < 0 && step < 0 ? -1 : at + step;
  return keys.at(next % keys.length) ?? null;
}

const REMEMBERED = 6;

/** The ids of recently opened games, latest first, from the browser's storage; invalid content is ignored. */
export function recentsOf(kept: string | null): string[] {
  try {
    const ids: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string").slice(0, REMEMBERED) : [];
  } catch {
    return [];
  }
}

export function remembering(recents: readonly string[], id: string): string[] {
  return [id, ...recents.filter((other) => other !== id)].slice(0, REMEMBERED);
}
