import { useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { type CollectionResponse, deleteCollection } from "@/api";
import { confirm } from "@/kit/confirm";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

import { collectionsChanged } from "./removeGames";

/** Delete a collection after confirmation; returns whether it was deleted. */
export function useDeleteCollection() {
  const queries = useQueryClient();
  const { t } = useI18n();
  const { toastError } = useErrorMessages();

  return async ({ id, name, entries }: CollectionResponse): Promise<boolean> => {
    const sure = await confirm({
      title: t("collections.deleteTitle", { name }),
      loss: t("collections.deleteLoss", entries.length),
      action: t("collections.delete"),
    });
    if (!sure) return false;
    try {
      await deleteCollection({ path: { collection_id: id }, throwOnError: true });
    } catch (error) {
      toastError(error);
      return false;
    }
    toast(t("collections.deleted", { name }));
    await collectionsChanged(queries);
    return true;
  };
}
