import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { computed, ref, shallowRef } from "vue";
import { useI18n } from "vue-i18n";

import { applyPlan, listRunsQueryKey, listTasksQueryKey, type PlanRowAnswer, takeRunBack } from "@/api";
import { choiceOf, useDecisions } from "@/features/game_import/decisions";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

import { PLAN_KEY } from "./plan";

/** What is to be imported: rows, and with `certain` all others that need no look. */
export interface Wanted {
  rows: readonly PlanRowAnswer[];
  certain?: number;
}

/** A run that was started here. */
export interface Begun {
  runId: string;
  taskId: string;
}

/** In place of a run that the service has not told yet. */
const ON_ITS_WAY = "";

/** Importing rows of the plan, and taking that back. Rows that are on their way are not shown any more. */
export function useImporting() {
  const { t } = useI18n();
  const { tellOf } = useProblems();
  const queries = useQueryClient();
  const { decisions } = useDecisions();
  const begun = shallowRef<readonly Begun[]>([]);
  /** The run that each row is on its way with. */
  const sent = shallowRef<ReadonlyMap<string, string>>(new Map());
  /** The run that imports all that is certain. */
  const sweeping = ref("");

  function send(rows: readonly PlanRowAnswer[], run: string): void {
    sent.value = new Map([...sent.value, ...rows.map((row): [string, string] => [row.id, run])]);
  }

  function look(): void {
    void queries.invalidateQueries({ queryKey: PLAN_KEY });
    void queries.invalidateQueries({ queryKey: listRunsQueryKey() });
    void queries.invalidateQueries({ queryKey: listTasksQueryKey() });
  }

  const applying = useMutation({
    mutationFn: async ({ rows, certain = 0 }: Wanted) => {
      const body = { rows: rows.map((row) => choiceOf(row, decisions.value[row.id])), certain: certain > 0 };
      return (await applyPlan({ body, throwOnError: true })).data;
    },
    onMutate: ({ rows }) => {
      send(rows, ON_ITS_WAY);
    },
    onSuccess: (run, { rows, certain = 0 }) => {
      begun.value = [...begun.value, run];
      if (certain) sweeping.value = run.runId;
      send(rows, run.runId);
      look();
      tell(t("import_plan.begun", Math.max(rows.length, certain)), { undo: () => void takingBack.mutate(run.runId) });
    },
    onError: (error, { rows }) => {
      const refused = new Set(rows.map((row) => row.id));
      sent.value = new Map([...sent.value].filter(([id]) => !refused.has(id)));
      look();
      tellOf(error);
    },
  });

  const takingBack = useMutation({
    mutationFn: (runId: string) => takeRunBack({ path: { run_id: runId }, throwOnError: true }),
    onSuccess: (_, runId) => {
      forget(runId);
      look();
      tell(t("import_plan.takenBack"));
    },
    onError: tellOf,
  });

  /** A run is over: what is still in the plan has not been imported, and is shown again. */
  function forget(runId: string): void {
    begun.value = begun.value.filter((run) => run.runId !== runId);
    if (sweeping.value === runId) sweeping.value = "";
    sent.value = new Map([...sent.value].filter(([, run]) => run !== runId));
  }

  return {
    begun,
    isSent: (row: PlanRowAnswer) => sent.value.has(row.id) || (row.certain && sweeping.value !== ""),
    isSweeping: computed(() => sweeping.value !== ""),
    isBusy: computed(() => applying.isPending.value),
    /** Whoever sweeps is quicker than the service: what is on its way is not sent again. */
    apply: ({ rows, certain = 0 }: Wanted) => {
      const unsent = rows.filter((row) => !sent.value.has(row.id));
      if (unsent.length || certain) applying.mutate({ rows: unsent, certain });
    },
    takeBackLast: () => {
      const last = begun.value.at(-1);
      if (last) takingBack.mutate(last.runId);
    },
    over: (runId: string) => {
      forget(runId);
      // The store, its tags and everything else has changed.
      void queries.invalidateQueries();
    },
  };
}
