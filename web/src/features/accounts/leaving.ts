import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { type RouteLocationRaw, useRouter } from "vue-router";

import { signOutMutation } from "@/api";

import { accountChanged } from "./own";

/** Sign out, and go `onward` as a stranger; without that one stays on a page that strangers may see. */
export function useLeaving(onward?: () => RouteLocationRaw) {
  const queries = useQueryClient();
  const router = useRouter();
  return useMutation({
    ...signOutMutation(),
    onSuccess: async () => {
      if (onward) await router.push(onward());
      await accountChanged(queries);
    },
  });
}
