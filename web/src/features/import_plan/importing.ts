import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { computed, ref, shallowRef } from "vue";
import { useI18n } from "vue-i18n";

import { applyPlan, computePlan, listRunsQueryKey, listTasksQueryKey, type PlanRowResponse, undoRun } from "@/api";
import { choiceOf, useDecisions } from "@/features/game_import/decisions";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

import { PLAN_KEY } from "./plan";
import { chunksOf, versionsOf } from "./rules";

/** What to import: rows, and with `certain` all other recognized ones, or all others of a confidence of `atLeast`. */
export interface Wanted {
  rows: readonly PlanRowResponse[];
  certain?: number;
  atLeast?: number;
}

/** A bulk import that was started here. */
export interface StartedRun {
  runId: string;
  taskId: string;
}

/** The service accepts no more rows in one call. */
const MAX_ROWS = 5_000;

/** Stands for a run until the service has returned its id. */
const ON_ITS_WAY = "";

/** Imports rows of the plan, with undo. Rows being imported are hidden. */
export function useImporting() {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const queries = useQueryClient();
  const { decisions } = useDecisions();
  const begun = shallowRef<readonly StartedRun[]>([]);
  /** The run that imports each row. */
  const sent = shallowRef<ReadonlyMap<string, string>>(new Map());
  /** The run that imports all recognized rows. */
  const sweeping = ref("");

  function send(rows: readonly PlanRowResponse[], run: string): void {
    sent.value = new Map([...sent.value, ...rows.map((row): [string, string] => [row.id, run])]);
  }

  function look(): void {
    void queries.invalidateQueries({ queryKey: PLAN_KEY });
    void queries.invalidateQueries({ queryKey: listRunsQueryKey() });
    void queries.invalidateQueries({ queryKey: listTasksQueryKey() });
  }

  const applying = useMutation({
    mutationFn: async ({ rows, certain = 0, atLeast }: Wanted) => {
      const selected = rows.map((row) => choiceOf(row, decisions.value[row.id]));
      const body = { rows: selected, certain: certain > 0, ...(atLeast !== undefined && { atLeast }) };
      return (await applyPlan({ body, throwOnError: true })).data;
    },
    onMutate: ({ rows }) => {
      send(rows, ON_ITS_WAY);
    },
    onSuccess: (run, { rows, certain = 0, atLeast }) => {
      begun.value = [...begun.value, run];
      if (certain) sweeping.value = run.runId;
      send(rows, run.runId);
      look();
      const told =
        atLeast === undefined ? t("import_plan.begun", Math.max(rows.length, certain)) : t("import_plan.begunAll");
      toast(told, { undo: () => void takingBack.mutate(run.runId) });
    },
    onError: (error, { rows, atLeast }) => {
      const refused = new Set(rows.map((row) => row.id));
      sent.value = new Map([...sent.value].filter(([id]) => !refused.has(id)));
      look();
      // The dialog with the confidence shows its own errors.
      if (atLeast === undefined) toastError(error);
    },
  });

  const takingBack = useMutation({
    mutationFn: (runId: string) => undoRun({ path: { run_id: runId }, throwOnError: true }),
    onSuccess: async (_, runId) => {
      forget(runId);
      toast(t("import_plan.takenBack"));
      // The folders of the undone imports have no rows.
      await computePlan({ body: {} });
      look();
    },
    onError: toastError,
  });

  /** After a run, rows that are still in the plan were not imported and are shown again. */
  function forget(runId: string): void {
    begun.value = begun.value.filter((run) => run.runId !== runId);
    if (sweeping.value === runId) sweeping.value = "";
    sent.value = new Map([...sent.value].filter(([, run]) => run !== runId));
  }

  return {
    begun,
    isSent: (row: PlanRowResponse) => sent.value.has(row.id) || (row.certain && sweeping.value !== ""),
    isSweeping: computed(() => sweeping.value !== ""),
    isBusy: computed(() => applying.isPending.value),
    /** Key presses may be faster than the service: rows being imported are not sent again. */
    apply: ({ rows, certain = 0 }: Pick<Wanted, "rows" | "certain">) => {
      const unsent = rows.filter((row) => !sent.value.has(row.id) && versionsOf(row, decisions.value[row.id]).length);
      if (rows.length && !unsent.length && !certain) toast(t("import_plan.noVersion"), { tone: "bad" });
      if (certain) applying.mutate({ rows: unsent, certain });
      else for (const some of chunksOf(unsent, MAX_ROWS)) applying.mutate({ rows: some });
    },
    applyFrom: (atLeast: number, rows: readonly PlanRowResponse[]) =>
      applying.mutateAsync({ rows: rows.filter((row) => !sent.value.has(row.id)), atLeast }),
    takeBackLast: () => {
      const last = begun.value.at(-1);
      if (last) takingBack.mutate(last.runId);
    },
    over: (runId: string) => {
      forget(runId);
      // The store, its tags and all other lists have changed.
      void queries.invalidateQueries();
    },
  };
}
