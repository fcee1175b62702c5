import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";
import { useI18n } from "vue-i18n";

import {
  type AdminChanges,
  changeUserMutation,
  listUsers,
  listUsersInfiniteQueryKey,
  listUsersQueryKey,
  showOwnAccountQueryKey,
  showUserQueryKey,
  type UserResponse,
} from "@/api";
import { useAccount } from "@/features/accounts/currentUser";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

import { SELECTED, type Who } from "./rules";

type Switch = "admin" | "enabled";
const PAGE = 100;

/** Some users with matching names or email address, page by page. */
export function useUsers(typed: Ref<string>, who: Ref<Who>) {
  const filters = computed(() => ({ q: typed.value, ...SELECTED[who.value] }));
  return useInfiniteQuery({
    queryKey: computed(() => listUsersInfiniteQueryKey({ query: filters.value })),
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filters.value, limit: PAGE, after: pageParam };
      return (await listUsers({ query, signal, throwOnError: true })).data;
    },
    initialPageParam: "",
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.username),
    placeholderData: keepPreviousData,
  });
}

/** Updates a user, with an undo action. */
export function useUpdateUser() {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
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

  async function change(user: UserResponse, body: AdminChanges): Promise<void> {
    await changing.mutateAsync({ path: { user_id: user.id }, body });
  }

  async function turn(user: UserResponse, what: Switch): Promise<void> {
    const turned = !user[what];
    try {
      await change(user, { [what]: turned });
      const undo = () => void turn({ ...user, [what]: turned }, what);
      toast(t(`accounts.users.turned.${what}.${turned ? "on" : "off"}`, { name: user.displayName }), { undo });
    } catch (error) {
      toastError(error);
    }
  }

  return { change, turn, isChanging: changing.isPending };
}
