import { CopyPlus, FileInput, FolderPlus, Import, MailPlus, ShieldCheck } from "@lucide/vue";
import { useQueryClient } from "@tanstack/vue-query";
import { computed } from "vue";
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";

import { listTasksQueryKey, startTask } from "@/api";
import { useAccount } from "@/features/accounts/currentUser";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

import type { Entry } from "./rules";

/** The most common actions. */
export function useActions() {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const { isAdmin } = useAccount();
  const router = useRouter();
  const queries = useQueryClient();

  async function verifyContent(): Promise<void> {
    try {
      const { data } = await startTask({ body: { taskGroup: "verify:content" }, throwOnError: true });
      await queries.invalidateQueries({ queryKey: listTasksQueryKey() });
      toast(t("search.verifying"));
      await router.push(`/admin/tasks/${data.id}`);
    } catch (error) {
      toastError(error);
    }
  }

  const everybodys = computed<Entry[]>(() => [
    { key: "newCollection", title: t("search.actions.newCollection"), icon: CopyPlus, to: "/collections?new=1" },
  ]);
  const administrators = computed<Entry[]>(() => [
    { key: "import", title: t("search.actions.import"), icon: Import, to: "/admin/import" },
    { key: "importGame", title: t("search.actions.importGame"), icon: FileInput, to: "/admin/import/game" },
    { key: "invite", title: t("search.actions.invite"), icon: MailPlus, to: "/admin/invitations?new=1" },
    { key: "addLibrary", title: t("search.actions.addLibrary"), icon: FolderPlus, to: "/admin/libraries?add=1" },
    { key: "verify", title: t("search.actions.verify"), icon: ShieldCheck, run: () => void verifyContent() },
  ]);
  return computed(() => [...(isAdmin.value ? administrators.value : []), ...everybodys.value]);
}
