import { useSessionStorage } from "@vueuse/core";
import { computed, type ComputedRef, type MaybeRefOrGetter, toValue, type WritableComputedRef } from "vue";

import type { AgeRatingInput, GameChanges, GameDetails, ReleaseInput, TagWord, WebsiteInput } from "@/api";

/** The editable fields of a game. */
export interface Values {
  name: string;
  shortDescription: string;
  description: string;
  released: ReleaseInput | null;
  developers: string[];
  publishers: string[];
  tags: TagWord[];
  ageRatings: AgeRatingInput[];
  websites: WebsiteInput[];
  featured: boolean;
}
export type FieldName = keyof Values;

function valuesOf(game: GameDetails): Values {
  return {
    name: game.name,
    shortDescription: game.shortDescription,
    description: game.description,
    released: game.released && { date: game.released.date, precision: game.released.precision },
    developers: game.developers.map(({ name }) => name),
    publishers: game.publishers.map(({ name }) => name),
    tags: game.tags.map(({ kind, name }) => ({ kind, name })),
    ageRatings: game.ageRatings.map(({ board, value, descriptors }) => ({ board, value, descriptors })),
    websites: game.websites.map(({ kind, url }) => ({ kind, url })),
    featured: game.featured,
  };
}

/** The values that differ from the original ones. */
export function changesOf(before: Values, after: Partial<Values>): Partial<Values> {
  const changed = Object.entries(after).filter(([field, value]) => !isSame(before[field as FieldName], value));
  return Object.fromEntries(changed) as Partial<Values>;
}

/** The original values of changed fields. */
export function backOf(before: Values, changes: Partial<Values>): GameChanges {
  return Object.fromEntries(Object.keys(changes).map((field) => [field, before[field as FieldName]]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The unsaved state of a game's form. */
export interface Draft {
  before: ComputedRef<Values>;
  /** Unsaved changes, which survive a reload. */
  changes: ComputedRef<Partial<Values>>;
  field: <F extends FieldName>(name: F) => WritableComputedRef<Values[F]>;
  set: (changes: Partial<Values>) => void;
}

export function useDraft(game: MaybeRefOrGetter<GameDetails>): Draft {
  const stored = useSessionStorage<Partial<Values>>(`editing/${toValue(game).id}`, {});
  const before = computed(() => valuesOf(toValue(game)));
  const changes = computed(() => changesOf(before.value, stored.value));

  function field<F extends FieldName>(name: F): WritableComputedRef<Values[F]> {
    return computed({
      get: () => ({ ...before.value, ...changes.value })[name],
      set: (value) => {
        stored.value = changesOf(before.value, { ...changes.value, [name]: value });
      },
    });
  }

  function set(wanted: Partial<Values>): void {
    stored.value = wanted;
  }
  return { before, changes, field, set };
}
