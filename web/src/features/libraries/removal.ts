import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed } from "vue";
import { useI18n } from "vue-i18n";

import {
  type LibraryResponse,
  listRemovalsOptions,
  listRemovalsQueryKey,
  removeLibrary,
  startRemoval,
  undoRemoval,
} from "@/api";
import { confirm } from "@/kit/confirm";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

const POLL_INTERVAL_MS = 5_000;

/** Removes a game folder: at once if nothing was imported from it, else with its games and time to undo that. */
export function useRemoval(library: () => LibraryResponse) {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const queries = useQueryClient();
  const removals = useQuery({
    ...listRemovalsOptions(),
    refetchInterval: ({ state }) => (state.data?.length ? POLL_INTERVAL_MS : false),
  });
  const removal = computed(() => removals.data.value?.find((one) => one.library === library().id));

  const removing = useMutation({
    mutationFn: () => removeLibrary({ body: { id: library().id }, throwOnError: true }),
    onSuccess: () => {
      void queries.invalidateQueries();
      toast(t("libraries.removed", { name: library().name }));
    },
    onError: toastError,
  });
  const starting = useMutation({
    mutationFn: () => startRemoval({ path: { library_id: library().id }, throwOnError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: listRemovalsQueryKey() }),
    onError: toastError,
  });
  const undoing = useMutation({
    mutationFn: () => undoRemoval({ path: { library_id: library().id }, throwOnError: true }),
    onSuccess: () => {
      toast(t("libraries.kept", { name: library().name }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: listRemovalsQueryKey() }),
    onError: toastError,
  });

  /** Remove it after confirmation, which says how many games go with it. */
  async function remove(games: number): Promise<void> {
    const sure = await confirm({
      title: t("libraries.removeTitle", { name: library().name }),
      loss: games ? t("libraries.removeGamesLoss", games) : t("libraries.removeLoss"),
      action: games ? t("libraries.removeGamesAction", games) : t("kit.remove"),
    });
    if (sure) (games ? starting : removing).mutate();
  }

  return {
    removal,
    remove,
    undo: () => {
      undoing.mutate();
    },
    isBusy: computed(() => [removing, starting, undoing].some((one) => one.isPending.value)),
  };
}
