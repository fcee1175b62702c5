import { type InfiniteData, useQueryClient } from "@tanstack/vue-query";
import { shallowRef } from "vue";
import { useI18n } from "vue-i18n";

import { changeGame, deleteGame, type GameTablePage, listAdminGamesInfiniteQueryKey, refreshGame } from "@/api";
import { confirm } from "@/kit/confirm";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

import type { GameRow } from "./rules";

/** Actions for one or several games; they run one after the other, and each result is shown. */
export function useBulkActions() {
  const { t } = useI18n();
  const { describeError } = useErrorMessages();
  const queries = useQueryClient();
  /** The progress of the running action; null without one. */
  const progress = shallowRef<{ done: number; of: number } | null>(null);

  /** Run an action for each game and return the successful ones; the first error is shown. */
  async function inTurn(rows: readonly GameRow[], act: (row: GameRow) => Promise<unknown>): Promise<GameRow[]> {
    const done: GameRow[] = [];
    const reasons: unknown[] = [];
    for (const [index, row] of rows.entries()) {
      progress.value = { done: index, of: rows.length };
      await act(row).then(
        () => done.push(row),
        (reason: unknown) => reasons.push(reason),
      );
    }
    progress.value = null;
    void queries.invalidateQueries();
    if (reasons.length) {
      const { text, fields } = describeError(reasons[0]);
      const reason = Object.values(fields)[0] ?? text;
      toast(t("editing.several.failed", { n: reasons.length, reason }, reasons.length), { tone: "bad" });
    }
    return done;
  }

  function showFeatured(ids: ReadonlySet<string>, featured: boolean): void {
    queries.setQueriesData<InfiniteData<GameTablePage>>(
      { queryKey: listAdminGamesInfiniteQueryKey() },
      (listed) =>
        listed && {
          ...listed,
          pages: listed.pages.map((page) => ({
            ...page,
            games: page.games.map((game) => (ids.has(game.id) ? { ...game, featured } : game)),
          })),
        },
    );
  }

  async function setFeatured(rows: readonly GameRow[], featured: boolean): Promise<GameRow[]> {
    showFeatured(new Set(rows.map((row) => row.id)), featured);
    return inTurn(rows, ({ id }) => changeGame({ path: { game_id: id }, body: { featured }, throwOnError: true }));
  }

  async function feature(rows: readonly GameRow[], featured: boolean): Promise<void> {
    const others = rows.filter((row) => row.states.has("featured") !== featured);
    const done = await setFeatured(others, featured);
    const [first] = done;
    if (!first) return;
    const told = t(
      featured ? "editing.several.featured" : "editing.several.unfeatured",
      { n: done.length, name: first.name },
      done.length,
    );
    toast(told, { undo: () => void setFeatured(done, !featured) });
  }

  async function refresh(rows: readonly GameRow[]): Promise<void> {
    const done = await inTurn(rows, ({ id }) => refreshGame({ path: { game_id: id }, body: {}, throwOnError: true }));
    const [first] = done;
    if (first) toast(t("editing.several.refreshed", { n: done.length, name: first.name }, done.length));
  }

  /** Delete games after confirmation; returns whether that was done. */
  async function remove(rows: readonly GameRow[]): Promise<boolean> {
    const [first] = rows;
    if (!first) return false;
    const named = { n: rows.length, name: first.name };
    const sure = await confirm({
      title: t("editing.several.deleteTitle", named, rows.length),
      loss: t("editing.several.deleteLoss", named, rows.length),
      action: t("editing.several.deleteAction"),
    });
    if (!sure) return false;
    const done = await inTurn(rows, ({ id }) => deleteGame({ path: { game_id: id }, throwOnError: true }));
    if (done.length) toast(t("editing.several.deleted", { n: done.length, name: first.name }, done.length));
    return done.length > 0;
  }

  return { progress, feature, refresh, remove };
}
