import { useQueryClient } from "@tanstack/vue-query";
import { shallowRef } from "vue";
import { useI18n } from "vue-i18n";

import { changeGame, deleteGame, type LibraryOverview, refreshGame, showLibrariesQueryKey } from "@/api";
import { confirm } from "@/kit/confirmation";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

import type { GameRow } from "./rules";

/** What is done with one game or with several at once: one after the other, each told as it ends. */
export function useSeveral() {
  const { t } = useI18n();
  const { explain } = useProblems();
  const queries = useQueryClient();
  /** How many of how many are done; null while nothing is. */
  const progress = shallowRef<{ done: number; of: number } | null>(null);

  /** Do something with each, and give those with which it worked; the first reason why it did not is told. */
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
      const { text, fields } = explain(reasons[0]);
      const reason = Object.values(fields)[0] ?? text;
      tell(t("editing.several.failed", { n: reasons.length, reason }, reasons.length), { tone: "bad" });
    }
    return done;
  }

  function showFeatured(ids: ReadonlySet<string>, featured: boolean): void {
    queries.setQueryData<LibraryOverview>(
      showLibrariesQueryKey(),
      (overview) =>
        overview && {
          ...overview,
          games: overview.games.map((each) =>
            ids.has(each.game.id) ? { ...each, game: { ...each.game, featured } } : each,
          ),
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
    tell(told, { undo: () => void setFeatured(done, !featured) });
  }

  async function refresh(rows: readonly GameRow[]): Promise<void> {
    const done = await inTurn(rows, ({ id }) => refreshGame({ path: { game_id: id }, body: {}, throwOnError: true }));
    const [first] = done;
    if (first) tell(t("editing.several.refreshed", { n: done.length, name: first.name }, done.length));
  }

  /** Ask, delete, and tell whether that was done. */
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
    if (done.length) tell(t("editing.several.deleted", { n: done.length, name: first.name }, done.length));
    return done.length > 0;
  }

  return { progress, feature, refresh, remove };
}
