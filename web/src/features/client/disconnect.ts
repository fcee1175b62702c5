import { callAgent } from "@/api/agent";
import { useErrorMessages } from "@/problems";

/** Sign this computer out, and show the app's first page. */
export function useDisconnect(): () => Promise<void> {
  const { toastError } = useErrorMessages();
  return async () => {
    try {
      location.assign((await callAgent<{ link: string }>("POST", "sign-out")).link);
    } catch (error) {
      toastError(error);
    }
  };
}
