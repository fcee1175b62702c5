import { type QueryKey, useMutation, useQueryClient } from "@tanstack/vue-query";
import type { Ref } from "vue";

import { confirmWithChoice, type Question } from "@/kit/confirm";
import { toast } from "@/kit/toasts";

import { useErrorMessages } from ".";

/** What to ask, what to run then, the toast when it is done, and the queries whose results it changes. */
export interface ActionSteps<T> {
  ask: (subject: T) => Question;
  run: (subject: T, isChosen: boolean) => Promise<unknown>;
  done: () => string;
  changed: () => readonly QueryKey[];
}

/** An action that must be confirmed. `act` asks, runs it, and shows its success or error as a toast. */
export function useConfirmedAction<T = void>(
  steps: ActionSteps<T>,
): {
  act: (subject: T) => Promise<void>;
  isPending: Ref<boolean>;
} {
  const { toastError } = useErrorMessages();
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: ({ subject, isChosen }: { subject: T; isChosen: boolean }) => steps.run(subject, isChosen),
    onSuccess: () => {
      toast(steps.done());
    },
    onError: toastError,
    onSettled: () => Promise.all(steps.changed().map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });

  async function act(subject: T): Promise<void> {
    const confirmed = await confirmWithChoice(steps.ask(subject));
    if (confirmed) mutate({ subject, isChosen: confirmed.isChosen });
  }

  return { act, isPending };
}
