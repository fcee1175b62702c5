import { shallowRef } from "vue";

/** Answers the request for a confirmation that `RecentSignInDialog.vue` shows; null if there is none. */
export const pendingConfirmation = shallowRef<((isConfirmed: boolean) => void) | null>(null);

/** Ask the user to confirm the sign-in, and return whether that happened. */
export function confirmSignIn(): Promise<boolean> {
  return new Promise((resolve) => {
    pendingConfirmation.value?.(false);
    pendingConfirmation.value = (isConfirmed) => {
      pendingConfirmation.value = null;
      resolve(isConfirmed);
    };
  });
}
