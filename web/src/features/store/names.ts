import { useQuery } from "@tanstack/vue-query";
import { computed, type MaybeRefOrGetter, toValue } from "vue";

import {
  type CompanyName,
  type GameCard,
  listCompaniesInUseOptions,
  listTagsInUseOptions,
  showGameOptions,
  type TagName,
} from "@/api";

import type { Filters } from "./filters";

/** Options of the tag and company filters, and the names of the selected ones. */
export function useNames(filters: MaybeRefOrGetter<Filters>, games: MaybeRefOrGetter<readonly GameCard[]>) {
  const tags = useQuery({ ...listTagsInUseOptions(), shallow: true });
  const companies = useQuery({ ...listCompaniesInUseOptions(), shallow: true });
  const listed = computed(
    () => new Map([...(tags.data.value ?? []), ...(companies.data.value ?? [])].map(({ id, name }) => [id, name])),
  );
  const chosen = computed(() => {
    const { tags: wanted, company } = toValue(filters);
    return [...wanted, ...(company ? [company] : [])];
  });

  // Only the most common are listed. The names of others are taken from the games found.
  const example = computed(() => toValue(games)[0]?.id ?? "");
  const isUnlisted = computed(
    () => !!tags.data.value && !!companies.data.value && chosen.value.some((id) => !listed.value.has(id)),
  );
  const page = useQuery(
    computed(() => ({
      ...showGameOptions({ path: { game_id: example.value } }),
      enabled: isUnlisted.value && example.value !== "",
      shallow: true,
    })),
  );
  const told = computed(() => {
    const game = page.data.value;
    const named: readonly (TagName | CompanyName)[] = game
      ? [...game.tags, ...game.developers, ...game.publishers]
      : [];
    return new Map(named.map(({ id, name }) => [id, name]));
  });

  function nameOf(id: string): string | undefined {
    return listed.value.get(id) ?? told.value.get(id);
  }
  return { tags, companies, nameOf };
}
