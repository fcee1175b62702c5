import { shallowRef } from "vue";

/**
 * A confirmation; `loss` describes the consequences, and `choice` is the label of an optional checkbox. The name `typed`
 * must be entered: always, or if there is a checkbox, when it is checked.
 */
export interface Question {
  title: string;
  loss: string;
  action: string;
  choice?: string;
  typed?: string;
}

/** A confirmed question, and whether its checkbox was checked. */
export interface Confirmed {
  isChosen: boolean;
}

export const pendingQuestion = shallowRef<(Question & { answer: (confirmed: Confirmed | null) => void }) | null>(null);

/** Ask for confirmation in `ConfirmDialog.vue`, and return the answer; null if it was cancelled. */
export function confirmWithChoice(asked: Question): Promise<Confirmed | null> {
  return new Promise((resolve) => {
    pendingQuestion.value?.answer(null);
    pendingQuestion.value = {
      ...asked,
      answer: (confirmed) => {
        pendingQuestion.value = null;
        resolve(confirmed);
      },
    };
  });
}

/** Ask for confirmation, and return whether it was given. */
export async function confirm(asked: Omit<Question, "choice">): Promise<boolean> {
  return (await confirmWithChoice(asked)) !== null;
}
