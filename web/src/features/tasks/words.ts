import { useMutation } from "@tanstack/vue-query";
import { computed } from "vue";
import { useI18n } from "vue-i18n";

import { cancelTaskMutation, type TaskAnswer } from "@/api";
import { confirm } from "@/kit/confirmation";
import { useFormat } from "@/kit/format";
import { useProblems } from "@/problems";

import { isCalledAlike, isMaintenance, wordsOf } from "./groups";

const SPANS = [
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** How far tasks are, in words of the pages' language. */
export function useTaskWords() {
  const { locale, t } = useI18n();
  const { percent } = useFormat();
  const second = computed(() => new Intl.DateTimeFormat(locale.value, { timeStyle: "medium" }));

  function span(seconds: number): string {
    const [length, unit] = SPANS.find(([least]) => seconds >= least) ?? [1, "second"];
    const format = { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 } as const;
    return new Intl.NumberFormat(locale.value, format).format(Math.max(1, Math.round(seconds / length)));
  }

  function group(name: string): string {
    const words = wordsOf(name);
    return words ? t(`tasks.groups.${words}`) : name;
  }

  return {
    percent: (progress: number) => percent(progress / 100),
    span,
    group,
    /** What kind of task it is, beside its title. */
    kindOf: (task: Pick<TaskAnswer, "name" | "taskGroup">) =>
      isMaintenance(task.taskGroup) ? t("tasks.byItself") : group(task.taskGroup),
    /** What a task is called: where it is the same every time, in the language of the pages. */
    title: (task: Pick<TaskAnswer, "name" | "taskGroup">) =>
      isCalledAlike(task.taskGroup) ? group(task.taskGroup) : task.name,
    time: (iso: string) => (iso ? second.value.format(new Date(iso)) : ""),
  };
}

/** Ask, and let a task stop. */
export function useCancelling() {
  const { t } = useI18n();
  const { tellOf } = useProblems();
  const cancelling = useMutation({ ...cancelTaskMutation(), onError: tellOf });

  async function cancel(task: { id: string; name: string }): Promise<void> {
    const sure = await confirm({
      title: t("tasks.cancel.title", { name: task.name }),
      loss: t("tasks.cancel.loss"),
      action: t("tasks.cancel.action"),
    });
    if (sure) cancelling.mutate({ path: { task_id: task.id } });
  }
  return { cancel, isCancelling: cancelling.isPending };
}
