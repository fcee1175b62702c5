import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import {
  deleteVersion,
  deleteVersionFiles,
  fetchReleaseNotes,
  type GameDetails,
  reimportVersion,
  type VersionResponse,
  verifyVersion,
} from "@/api";
import { useQueryParamPairs } from "@/kit/queryParams";
import { confirm, confirmWithChoice } from "@/kit/confirm";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

import { useSaveGame } from "./saveGame";

/**
 * Actions for the versions of a game; their running tasks are kept in the address. If Playdock manages their files,
 * these can be deleted too, by a task of its own.
 */
export function useVersions(
  game: () => GameDetails,
  canChangeFiles: (version: VersionResponse) => boolean,
  follow: (taskId: string) => void,
) {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const queries = useQueryClient();
  const { saving, save } = useSaveGame(game().id);
  const { pairs: tasks, set: setTask } = useQueryParamPairs("tasks");

  async function arrange(versions: VersionResponse[]): Promise<void> {
    const back = { versions: game().versions.map(({ id }) => id) };
    const told = t("editing.versions.arranged", { name: versions[0]?.name ?? "" });
    if (!(await save({ body: { versions: versions.map(({ id }) => id) }, back, told }))) toastError(saving.error.value);
  }

  const starting = useMutation({
    mutationFn: async ({
      version,
      start,
    }: {
      version: VersionResponse;
      start: typeof verifyVersion | typeof reimportVersion;
    }) => (await start({ path: { version_id: version.id }, throwOnError: true })).data,
    onSuccess: ({ taskId }, { version }) => {
      setTask(version.id, taskId);
    },
    onError: toastError,
  });

  function verify(version: VersionResponse): void {
    starting.mutate({ version, start: verifyVersion });
  }

  async function importAgain(version: VersionResponse): Promise<void> {
    const sure = await confirm({
      title: t("editing.versions.importTitle", { name: version.name }),
      loss: t("editing.versions.importLoss"),
      action: t("editing.versions.importAgain"),
    });
    if (sure) starting.mutate({ version, start: reimportVersion });
  }

  const deleting = useMutation({
    mutationFn: (version: VersionResponse) => deleteVersion({ path: { version_id: version.id }, throwOnError: true }),
    onSuccess: (_, version) => {
      void queries.invalidateQueries();
      toast(t("editing.versions.deleted", { name: version.name }));
    },
    onError: toastError,
  });

  const withFiles = useMutation({
    mutationFn: async ({ id, name }: VersionResponse) =>
      (await deleteVersionFiles({ path: { version_id: id }, body: { name }, throwOnError: true })).data,
    onSuccess: ({ taskId }) => {
      follow(taskId);
    },
    onError: toastError,
  });

  const notes = useMutation({
    mutationFn: async (version: VersionResponse) =>
      (await fetchReleaseNotes({ path: { version_id: version.id }, throwOnError: true })).data,
    onSuccess: ({ taskId }) => {
      follow(taskId);
    },
    onError: toastError,
  });

  function fetchNotes(version: VersionResponse): void {
    notes.mutate(version);
  }

  async function remove(version: VersionResponse): Promise<void> {
    const confirmed = await confirmWithChoice({
      title: t("editing.versions.deleteTitle", { name: version.name }),
      loss: t(canChangeFiles(version) ? "editing.files.versionLoss" : "editing.versions.deleteLoss"),
      action: t("editing.versions.delete"),
      ...(canChangeFiles(version) && { choice: t("editing.files.deleteToo"), typed: version.name }),
    });
    if (confirmed?.isChosen) withFiles.mutate(version);
    else if (confirmed) deleting.mutate(version);
  }

  /** Fetch the results of a finished task; a success needs no message. */
  async function ended(version: VersionResponse, success: boolean): Promise<void> {
    await queries.invalidateQueries();
    if (!success) return;
    setTask(version.id, null);
    const isDamaged = game().versions.some(({ id, damaged }) => id === version.id && damaged);
    const told = t(isDamaged ? "editing.versions.damaged" : "editing.versions.whole", { name: version.name });
    toast(told, { tone: isDamaged ? "bad" : "good" });
  }

  return { tasks, arrange, verify, importAgain, fetchNotes, remove, ended };
}
