import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { type RouteLocationRaw, useRouter } from "vue-router";

import { signOutMutation } from "@/api";

import { accountChanged, forgetUser } from "./currentUser";

/** Sign out and navigate to `onward`; without it, stay on a page that does not require a session. */
export function useSignOut(onward?: () => RouteLocationRaw) {
  const queries = useQueryClient();
  const router = useRouter();
  return useMutation({
    ...signOutMutation(),
    onSuccess: async () => {
      if (onward) await router.push(onward());
      forgetUser();
      await accountChanged(queries);
    },
  });
}
