import { computed, shallowRef } from "vue";
import { useI18n } from "vue-i18n";
import { type Router, useRouter } from "vue-router";

import { isProblem } from "@/api";
import { type AgentState, callAgent, followAgent, IS_APP } from "@/api/agent";
import { BASE_PATH } from "@/api/basePath";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

const state = shallowRef<AgentState | null>(null);
const isLost = shallowRef(false);
let isFollowing = false;

function follow(router: Router): void {
  if (isFollowing || !IS_APP) return;
  isFollowing = true;
  followAgent(
    (now) => {
      state.value = now;
      isLost.value = false;
    },
    () => {
      isLost.value = true;
    },
    (path) => void router.push(path.slice(BASE_PATH.length)),
  );
}

/** The state of the app, null until it is known and in a browser, and its calls, which report their failures. */
export function useAgent() {
  follow(useRouter());
  const { t, te } = useI18n();
  const { toastError } = useErrorMessages();

  /** Send a call, and return whether it succeeded. */
  async function act(method: string, path: string, body?: object): Promise<boolean> {
    try {
      await callAgent(method, path, body);
      return true;
    } catch (error) {
      const key = `client.problems.${isProblem(error) ? error.type : ""}`;
      if (te(key)) toast(t(key), { tone: "bad" });
      else toastError(error);
      return false;
    }
  }

  return { state, isLost: computed(() => isLost.value), act };
}
