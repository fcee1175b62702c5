import type { Component } from "vue";
import type { RouteLocationRaw } from "vue-router";

import type { PictureAnswer } from "@/api";
import { folded } from "@/kit/words";

/** Something that the palette leads to, or does. */
export interface Entry {
  key: string;
  title: string;
  /** Another word that finds it. */
  alias?: string;
  detail?: string | undefined;
  to?: RouteLocationRaw;
  run?: () => void;
  icon?: Component;
  game?: { name: string; cover: PictureAnswer | null };
}

export const GROUPS = ["recent", "games", "collections", "actions", "pages", "people"] as const;

export interface Group {
  name: (typeof GROUPS)[number];
  entries: readonly Entry[];
}

// A single letter is in almost everything.
const LEAST_WITHIN = 2;

/** How near what was typed comes to a title: 5 is the same, 1 only the letters in this order, 0 something else. */
export function closeness(title: string, typed: string): number {
  const [whole, part] = [folded(title), folded(typed)];
  if (whole === part) return 5;
  if (whole.startsWith(part)) return 4;
  const words = whole.split(/[^\p{L}\p{N}]+/u);
  if (part.split(" ").every((start) => words.some((word) => word.startsWith(start)))) return 3;
  if (part.length < LEAST_WITHIN) return 0;
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

/** The entries that what was typed may mean, nearest first; all of them while nothing is typed. */
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
  return Math.max(closeness(title, typed), alias ? closeness(alias, typed) : 0);
}

// What the store found counts even where it is spelled otherwise.
const FOUND = 1;

/** Groups with something in them, the one with the nearest entry first. */
export function arranged(groups: readonly Group[], typed: string): Group[] {
  const filled = groups.filter(({ entries }) => entries.length);
  if (!typed) return filled;
  const best = ({ entries }: Group) => Math.max(FOUND, ...entries.map((entry) => nearness(entry, typed)));
  return filled
    .map((group) => ({ group, near: best(group) }))
    .sort((a, b) => b.near - a.near)
    .map(({ group }) => group);
}

const LEAST_OF_VERB = 3;

/** What is searched when somebody types what to do with a game: “edit tetris” searches “tetris”. */
export function withoutVerb(typed: string, verb: string): string {
  const words = typed.split(" ");
  const isVerb = (word = "") => word.length >= LEAST_OF_VERB && folded(verb).startsWith(folded(word));
  if (words.length < 2) return typed;
  if (isVerb(words[0])) return words.slice(1).join(" ");
  return isVerb(words.at(-1)) ? words.slice(0, -1).join(" ") : typed;
}

/** The entry so many places on from another; past the end it begins again. Without that other one it begins outside. */
export function stepped(keys: readonly string[], from: string | undefined, step: 1 | -1): string | null {
  if (!keys.length) return null;
  const at = from === undefined ? -1 : keys.indexOf(from);
  const next = at < 0 && step < 0 ? -1 : at + step;
  return keys.at(next % keys.length) ?? null;
}

const REMEMBERED = 6;

/** The ids of games opened before, latest first, as this browser keeps them; nonsense is none. */
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
