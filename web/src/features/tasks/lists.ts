import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed, watch } from "vue";

import { type GroupDraft, listTasksOptions, listTasksQueryKey, startTaskMutation } from "@/api";
import { useProblems } from "@/problems";

import { useTasks } from "./live";
import { isBehind, withNews } from "./rules";

/** Tasks that others start are seen with the next look; those that are known are watched live. */
const SECONDS_BETWEEN_LOOKS = 20;

export function useTaskLists() {
  return useQuery({ ...listTasksOptions(), refetchInterval: SECONDS_BETWEEN_LOOKS * 1000 });
}

/** Enough for a look at what is going on; the others wait in line behind these. */
const MOST_WATCHED = 20;

/** What runs and what waits its turn, live: the lists are looked at anew when a task begins or ends. */
export function useRunningTasks() {
  const queries = useQueryClient();
  const lists = useTaskLists();
  const listed = computed(() => lists.data.value?.runningTasks ?? []);
  const live = useTasks(() => listed.value.slice(0, MOST_WATCHED).map((task) => task.id));
  const tasks = computed(() => listed.value.map((task) => withNews(task, live.value.get(task.id))));
  watch(
    () => tasks.value.map((task) => `${task.id} ${task.standing}`).join(),
    () => {
      if (tasks.value.some(isBehind)) void tasksChanged(queries);
    },
  );
  return { lists, tasks };
}

/** A task began or ended: look which there are. */
export async function tasksChanged(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: listTasksQueryKey() }, { cancelRefetch: false });
}

/** Start a maintenance that otherwise runs by itself. */
export function useStarting() {
  const queries = useQueryClient();
  const { tellOf } = useProblems();
  const starting = useMutation({
    ...startTaskMutation(),
    onSettled: () => tasksChanged(queries),
    onError: tellOf,
  });
  return {
    start: (group: string) => {
      starting.mutate({ body: { taskGroup: group as GroupDraft["taskGroup"] } });
    },
    isStarting: starting.isPending,
  };
}
