import { shallowRef } from "vue";

/** A confirmation; `loss` describes the consequences. */
export interface Question {
  title: string;
  loss: string;
  action: string;
}

export const pendingQuestion = shallowRef<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Ask for confirmation in `ConfirmDialog.vue`, and return the answer. */
export function confirm(asked: Question): Promise<boolean> {
  return new Promise((resolve) => {
    pendingQuestion.value?.answer(false);
    pendingQuestion.value = {
      ...asked,
      answer: (yes) => {
        pendingQuestion.value = null;
        resolve(yes);
      },
    };
  });
}
