import { shallowRef } from "vue";

/** What is asked once before something is lost: the sentence says what. */
export interface Question {
  title: string;
  loss: string;
  action: string;
}

export const question = shallowRef<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Ask, and wait for the answer; `Confirmation.vue` shows it. */
export function confirm(asked: Question): Promise<boolean> {
  return new Promise((resolve) => {
    question.value?.answer(false);
    question.value = {
      ...asked,
      answer: (yes) => {
        question.value = null;
        resolve(yes);
      },
    };
  });
}
