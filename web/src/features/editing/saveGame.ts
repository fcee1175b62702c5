import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { changeGame, type GameChanges, showGameDetailsQueryKey } from "@/api";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

/** A change of a game, its reverse, and the message to show. */
interface Change {
  body: GameChanges;
  back: GameChanges;
  told: string;
}

/** Saves changes of a game, which update the page at once and can be undone. */
export function useSaveGame(gameId: string) {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const queries = useQueryClient();

  async function send(body: GameChanges): Promise<void> {
    const path = { game_id: gameId };
    const { data } = await changeGame({ path, body, throwOnError: true });
    queries.setQueryData(showGameDetailsQueryKey({ path }), data);
    void queries.invalidateQueries();
  }

  // One at a time, so that the last response is the latest state.
  const saving = useMutation({ mutationFn: ({ body }: Change) => send(body), scope: { id: `game ${gameId}` } });

  /** Save, show a message with undo, and return whether it succeeded. */
  async function save(change: Change): Promise<boolean> {
    try {
      await saving.mutateAsync(change);
    } catch {
      return false;
    }
    toast(change.told, {
      undo: () => {
        send(change.back).then(() => {
          toast(t("editing.undone"));
        }, toastError);
      },
    });
    return true;
  }
  return { saving, save };
}
