import { useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { type CollectionAnswer, deleteCollection } from "@/api";
import { confirm } from "@/kit/confirmation";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

import { collectionsChanged } from "./places";

/** Delete a collection after asking; gives whether it is gone. */
export function useDeletion() {
  const queries = useQueryClient();
  const { t } = useI18n();
  const { tellOf } = useProblems();

  return async ({ id, name, entries }: CollectionAnswer): Promise<boolean> => {
    const sure = await confirm({
      title: t("collections.deleteTitle", { name }),
      loss: t("collections.deleteLoss", entries.length),
      action: t("collections.delete"),
    });
    if (!sure) return false;
    try {
      await deleteCollection({ path: { collection_id: id }, throwOnError: true });
    } catch (error) {
      tellOf(error);
      return false;
    }
    tell(t("collections.deleted", { name }));
    await collectionsChanged(queries);
    return true;
  };
}
