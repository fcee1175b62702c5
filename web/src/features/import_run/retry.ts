import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { promiseTimeout } from "@vueuse/core";
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";

import { applyPlan, computePlan, listRunsQueryKey, type PlanRowResponse, type RunRowResponse, showPlan } from "@/api";
import { choiceOf, useDecisions } from "@/features/game_import/decisions";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

const PAGE = 500;
const POLL_INTERVAL_MS = 1_500;
const MAX_POLLS = 20;

/** Return the plan's rows for some folders of a library, and whether the plan is still being computed. */
async function look(
  library: string,
  folders: ReadonlySet<string>,
): Promise<{ rows: PlanRowResponse[]; growing: boolean }> {
  const rows: PlanRowResponse[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await showPlan({ query: { library, offset, limit: PAGE }, throwOnError: true });
    rows.push(...data.rows.filter((row) => folders.has(row.game)));
    const growing = data.taskId !== null;
    if (data.rows.length < PAGE || rows.length === folders.size) return { rows, growing };
  }
}

/** Poll until the folders are found: restored folders are scanned first. */
async function planned(library: string, folders: ReadonlySet<string>): Promise<PlanRowResponse[]> {
  await computePlan({ body: {}, throwOnError: true });
  for (let looks = 1; ; looks += 1) {
    const { rows, growing } = await look(library, folders);
    if (rows.length === folders.size || !growing || looks === MAX_POLLS) return rows;
    await promiseTimeout(POLL_INTERVAL_MS);
  }
}

/** Import failed folders again with the same decisions, in a new run. */
export function useRetry() {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const { decisions } = useDecisions();
  const queries = useQueryClient();
  const router = useRouter();

  return useMutation({
    mutationFn: async (failed: readonly RunRowResponse[]) => {
      const libraries = new Set(failed.map((row) => row.library));
      const rows: PlanRowResponse[] = [];
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
        toast(t("import_run.gone"), { tone: "bad" });
        return;
      }
      await queries.invalidateQueries({ queryKey: listRunsQueryKey() });
      await router.push(`/admin/import/runs/${run.runId}`);
    },
    onError: toastError,
  });
}
