import { shallowRef } from "vue";

/** A checkbox of a confirmation. Pass a reactive object, and read `isChosen` after the answer. */
export interface Choice {
  label: string;
  isChosen: boolean;
}

/** A confirmation; `loss` describes the consequences. */
export interface Question {
  title: string;
  loss: string;
  action: string;
  choice?: Choice;
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
