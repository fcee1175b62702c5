import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import {
  type AdminChanges,
  changeUserMutation,
  listUsersQueryKey,
  showOwnAccountQueryKey,
  showUserQueryKey,
  type UserAnswer,
} from "@/api";
import { useAccount } from "@/features/accounts/own";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

type Switch = "admin" | "enabled";

/** Change a user; what was switched can be switched back. */
export function useChangingUser() {
  const { t } = useI18n();
  const { tellOf } = useProblems();
  const { account } = useAccount();
  const queries = useQueryClient();
  const changing = useMutation({
    ...changeUserMutation(),
    onSuccess: async (user) => {
      queries.setQueryData(showUserQueryKey({ path: { user_id: user.id } }), user);
      if (user.id === account.value?.id) queries.setQueryData(showOwnAccountQueryKey(), user);
      await queries.invalidateQueries({ queryKey: listUsersQueryKey() });
    },
  });

  async function change(user: UserAnswer, body: AdminChanges): Promise<void> {
    await changing.mutateAsync({ path: { user_id: user.id }, body });
  }

  async function turn(user: UserAnswer, what: Switch): Promise<void> {
    const turned = !user[what];
    try {
      await change(user, { [what]: turned });
      const undo = () => void turn({ ...user, [what]: turned }, what);
      tell(t(`accounts.users.turned.${what}.${turned ? "on" : "off"}`, { name: user.displayName }), { undo });
    } catch (error) {
      tellOf(error);
    }
  }

  return { change, turn, isChanging: changing.isPending };
}
