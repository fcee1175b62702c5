import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed, watch } from "vue";

import { type TaskStart, listTasksOptions, listTasksQueryKey, startTaskMutation } from "@/api";
import { useErrorMessages } from "@/problems";

import { useTasks } from "./live";
import { isBehind, applyUpdate } from "./rules";

/** Tasks started elsewhere appear with the next poll; known ones are watched live. */
const SECONDS_BETWEEN_LOOKS = 20;

export function useTaskLists() {
  return useQuery({ ...listTasksOptions(), refetchInterval: SECONDS_BETWEEN_LOOKS * 1000 });
}

/** Enough for an overview; further tasks are queued behind these. */
const MAX_WATCHED_TASKS = 20;

/** The running and queued tasks; the lists are fetched again when a task starts or ends. */
export function useRunningTasks() {
  const queries = useQueryClient();
  const lists = useTaskLists();
  const listed = computed(() => lists.data.value?.runningTasks ?? []);
  const live = useTasks(() => listed.value.slice(0, MAX_WATCHED_TASKS).map((task) => task.id));
  const tasks = computed(() => listed.value.map((task) => applyUpdate(task, live.value.get(task.id))));
  watch(
    () => tasks.value.map((task) => `${task.id} ${task.status}`).join(),
    () => {
      if (tasks.value.some(isBehind)) void tasksChanged(queries);
    },
  );
  /** How many there are, also of those beyond the list. */
  const count = computed(() => tasks.value.length + (lists.data.value?.runningCount ?? 0) - listed.value.length);
  return { lists, tasks, count };
}

/** Fetch the lists again after a task has started or ended. */
export async function tasksChanged(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: listTasksQueryKey() }, { cancelRefetch: false });
}

/** Start a scheduled task now. */
export function useStartTask() {
  const queries = useQueryClient();
  const { toastError } = useErrorMessages();
  const starting = useMutation({
    ...startTaskMutation(),
    onSettled: () => tasksChanged(queries),
    onError: toastError,
  });
  return {
    start: (group: string) => {
      starting.mutate({ body: { taskGroup: group as TaskStart["taskGroup"] } });
    },
    isStarting: starting.isPending,
  };
}
