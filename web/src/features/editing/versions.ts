import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { deleteVersion, type GameDetails, reimportVersion, type VersionAnswer, verifyVersion } from "@/api";
import { useAddressedPairs } from "@/kit/address";
import { confirm } from "@/kit/confirmation";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

import { useSaving } from "./saving";

/** What is done with the versions of a game; the tasks that work on them stand in the address. */
export function useVersions(game: () => GameDetails) {
  const { t } = useI18n();
  const { tellOf } = useProblems();
  const queries = useQueryClient();
  const { saving, save } = useSaving(game().id);
  const { pairs: tasks, set: setTask } = useAddressedPairs("tasks");

  async function arrange(versions: VersionAnswer[]): Promise<void> {
    const back = { versions: game().versions.map(({ id }) => id) };
    const told = t("editing.versions.arranged", { name: versions[0]?.name ?? "" });
    if (!(await save({ body: { versions: versions.map(({ id }) => id) }, back, told }))) tellOf(saving.error.value);
  }

  const starting = useMutation({
    mutationFn: async ({
      version,
      start,
    }: {
      version: VersionAnswer;
      start: typeof verifyVersion | typeof reimportVersion;
    }) => (await start({ path: { version_id: version.id }, throwOnError: true })).data,
    onSuccess: ({ taskId }, { version }) => {
      setTask(version.id, taskId);
    },
    onError: tellOf,
  });

  function verify(version: VersionAnswer): void {
    starting.mutate({ version, start: verifyVersion });
  }

  async function importAgain(version: VersionAnswer): Promise<void> {
    const sure = await confirm({
      title: t("editing.versions.importTitle", { name: version.name }),
      loss: t("editing.versions.importLoss"),
      action: t("editing.versions.importAgain"),
    });
    if (sure) starting.mutate({ version, start: reimportVersion });
  }

  const deleting = useMutation({
    mutationFn: (version: VersionAnswer) => deleteVersion({ path: { version_id: version.id }, throwOnError: true }),
    onSuccess: (_, version) => {
      void queries.invalidateQueries();
      tell(t("editing.versions.deleted", { name: version.name }));
    },
    onError: tellOf,
  });

  async function remove(version: VersionAnswer): Promise<void> {
    const sure = await confirm({
      title: t("editing.versions.deleteTitle", { name: version.name }),
      loss: t("editing.versions.deleteLoss"),
      action: t("editing.versions.delete"),
    });
    if (sure) deleting.mutate(version);
  }

  /** A task has ended: what it found is fetched, and if all is well nothing more need be said of it. */
  async function ended(version: VersionAnswer, success: boolean): Promise<void> {
    await queries.invalidateQueries();
    if (!success) return;
    setTask(version.id, null);
    const isDamaged = game().versions.some(({ id, damaged }) => id === version.id && damaged);
    const told = t(isDamaged ? "editing.versions.damaged" : "editing.versions.whole", { name: version.name });
    tell(told, { tone: isDamaged ? "bad" : "good" });
  }

  return { tasks, arrange, verify, importAgain, remove, ended };
}
