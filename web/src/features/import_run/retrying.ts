import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { promiseTimeout } from "@vueuse/core";
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";

import { applyPlan, listRunsQueryKey, type PlanRowAnswer, type RunRowAnswer, showPlan } from "@/api";
import { choiceOf, useDecisions } from "@/features/game_import/decisions";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

const PAGE = 500;
const LOOKING_PAUSE = 1_500;
const MOST_LOOKS = 20;

/** Give the rows that the plan has of some folders of a library, and whether it is still being computed. */
async function look(
  library: string,
  folders: ReadonlySet<string>,
): Promise<{ rows: PlanRowAnswer[]; growing: boolean }> {
  const rows: PlanRowAnswer[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await showPlan({ query: { library, offset, limit: PAGE }, throwOnError: true });
    rows.push(...data.rows.filter((row) => folders.has(row.game)));
    const growing = data.taskId !== null;
    if (data.rows.length < PAGE || rows.length === folders.size) return { rows, growing };
  }
}

/** The same, with some patience: a folder that has come back is looked at first. */
async function planned(library: string, folders: ReadonlySet<string>): Promise<PlanRowAnswer[]> {
  for (let looks = 1; ; looks += 1) {
    const { rows, growing } = await look(library, folders);
    if (rows.length === folders.size || !growing || looks === MOST_LOOKS) return rows;
    await promiseTimeout(LOOKING_PAUSE);
  }
}

/** Import folders that failed once more, as it was decided before, in a run of their own. */
export function useRetrying() {
  const { t } = useI18n();
  const { tellOf } = useProblems();
  const { decisions } = useDecisions();
  const queries = useQueryClient();
  const router = useRouter();

  return useMutation({
    mutationFn: async (failed: readonly RunRowAnswer[]) => {
      const libraries = new Set(failed.map((row) => row.library));
      const rows: PlanRowAnswer[] = [];
      for (const library of libraries) {
        const folders = failed.filter((row) => row.library === library).map((row) => row.game);
        rows.push(...(await planned(library, new Set(folders))));
      }
      if (!rows.length) return null;
      const body = { rows: rows.map((row) => choiceOf(row, decisions.value[row.id])) };
      return (await applyPlan({ body, throwOnError: true })).data;
    },
    onSuccess: async (run) => {
      if (!run) {
        tell(t("import_run.gone"), { tone: "bad" });
        return;
      }
      await queries.invalidateQueries({ queryKey: listRunsQueryKey() });
      await router.push(`/admin/import/runs/${run.runId}`);
    },
    onError: tellOf,
  });
}
