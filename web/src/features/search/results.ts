import { Pencil } from "@lucide/vue";
import { computed, type Ref } from "vue";
import { useI18n } from "vue-i18n";

import { useAccount } from "@/features/accounts/currentUser";

import { useActions } from "./actions";
import { arranged, type Entry, type Group, meant, stripVerb } from "./rules";
import { useGames, useOwnCollections, usePeople, useRecentlyOpened } from "./sources";

/** A page of the navigation, with its localized title. */
export type Page = Required<Pick<Entry, "title" | "icon">> & { path: string };

const MAX_RESULTS = { collections: 4, actions: 6, pages: 20, people: 5 };
const MAX_EDIT_RESULTS = 3;

/** The options of the palette for the typed text. */
export function useSearchResults(typed: Ref<string>, pages: () => readonly Page[]) {
  const { t } = useI18n();
  const { isAdmin } = useAccount();

  const term = computed(() => typed.value.split(/\s+/).filter(Boolean).join(" "));
  const wanted = computed(() => (isAdmin.value ? stripVerb(term.value, t("search.edit")) : term.value));
  const { games, entries: found, settled: gamesSettled, error } = useGames(wanted);
  const recent = useRecentlyOpened();
  const collections = useOwnCollections();
  const { entries: people, settled: peopleSettled } = usePeople(term);
  const settled = computed(() => gamesSettled.value && peopleSettled.value);
  const actions = useActions();

  const edits = computed<Entry[]>(() =>
    games.value.slice(0, MAX_EDIT_RESULTS).map(({ id, name }) => ({
      key: `edit ${id}`,
      title: t("search.editGame", { name }),
      icon: Pencil,
      to: `/admin/games/${id}`,
    })),
  );
  const doable = computed(() => [...(isAdmin.value ? edits.value : []), ...actions.value]);
  const places = computed<Entry[]>(() =>
    pages().map(({ path, ...page }) => ({ ...page, key: `page ${path}`, to: path })),
  );

  function named(name: keyof typeof MAX_RESULTS, entries: readonly Entry[]): Group {
    return { name, entries: meant(entries, term.value, MAX_RESULTS[name]) };
  }

  // The service has also looked for the address, of which the palette knows nothing. Until it answers, those of the
  // previous text are known.
  function usersOf(entries: readonly Entry[]): Entry[] {
    const byName = meant(entries, term.value, MAX_RESULTS.people);
    const others = peopleSettled.value ? entries.filter((entry) => !byName.includes(entry)) : [];
    return [...byName, ...others].slice(0, MAX_RESULTS.people);
  }

  const groups = computed<Group[]>(() => {
    const things: Group = { name: "games", entries: found.value };
    const doing = named("actions", doable.value);
    const going = named("pages", places.value);
    if (!term.value) return arranged([{ name: "recent", entries: recent.value }, doing, going], "");
    const first = wanted.value === term.value ? [things, doing] : [doing, things];
    const users: Group = { name: "people", entries: usersOf(people.value) };
    const others = [named("collections", collections.value), going, users];
    return arranged([...first, ...others], term.value);
  });
  return { term, groups, settled, error };
}
