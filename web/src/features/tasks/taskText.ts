import { useMutation } from "@tanstack/vue-query";
import { computed } from "vue";
import { useI18n } from "vue-i18n";

import { cancelTaskMutation, type TaskError, type TaskResponse } from "@/api";
import { confirm } from "@/kit/confirm";
import { useFormat, useRegionalLocale } from "@/kit/format";
import { useErrorMessages } from "@/problems";
import { useServiceText } from "@/problems/serviceText";

import { hasFixedName, isMaintenance, groupKeyOf } from "./groups";
import type { LogLine } from "./rules";

const SPANS = [
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** Text about tasks in the page's language. */
export function useTaskText() {
  const { t } = useI18n();
  const locale = useRegionalLocale();
  const { percent } = useFormat();
  const { textOf, titleOf } = useServiceText();
  const second = computed(() => new Intl.DateTimeFormat(locale.value, { timeStyle: "medium" }));

  function span(seconds: number): string {
    const [length, unit] = SPANS.find(([least]) => seconds >= least) ?? [1, "second"];
    const format = { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 } as const;
    return new Intl.NumberFormat(locale.value, format).format(Math.max(1, Math.round(seconds / length)));
  }

  function group(name: string): string {
    const words = groupKeyOf(name);
    return words ? t(`tasks.groups.${words}`) : name;
  }

  return {
    percent: (progress: number) => percent(progress / 100),
    span,
    group,
    /** The type of a task, shown beside its title. */
    kindOf: (task: Pick<TaskResponse, "name" | "taskGroup">) =>
      isMaintenance(task.taskGroup) ? t("tasks.byItself") : group(task.taskGroup),
    /** The title of a task, translated where all tasks of the type have the same name. */
    title: (task: Pick<TaskResponse, "name" | "nameCode" | "nameParameters" | "taskGroup">) =>
      hasFixedName(task.taskGroup)
        ? group(task.taskGroup)
        : textOf({ text: task.name, code: task.nameCode, parameters: task.nameParameters }),
    nameText: (task: Pick<TaskResponse, "name" | "nameCode" | "nameParameters">) =>
      textOf({ text: task.name, code: task.nameCode, parameters: task.nameParameters }),
    line: (line: LogLine) => textOf({ text: line.message, code: line.code, parameters: line.parameters }),
    errorTitle: (error: TaskError) => titleOf(error.title),
    errorText: (error: TaskError) =>
      textOf({ text: error.description, code: error.code, parameters: error.parameters }),
    time: (iso: string) => (iso ? second.value.format(new Date(iso)) : ""),
  };
}

/** Cancels a task after confirmation. */
export function useCancelTask() {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const cancelling = useMutation({ ...cancelTaskMutation(), onError: toastError });

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
