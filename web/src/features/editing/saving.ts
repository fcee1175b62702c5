import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { changeGame, type GameChanges, showGameDetailsQueryKey } from "@/api";
import { tell } from "@/kit/notices";
import { useProblems } from "@/problems";

/** A change of a game, what puts it back, and what is told of it. */
interface Change {
  body: GameChanges;
  back: GameChanges;
  told: string;
}

/** Changes of one game; what the answer says is on the page at once, and each can be undone. */
export function useSaving(gameId: string) {
  const { t } = useI18n();
  const { tellOf } = useProblems();
  const queries = useQueryClient();

  async function send(body: GameChanges): Promise<void> {
    const path = { game_id: gameId };
    const { data } = await changeGame({ path, body, throwOnError: true });
    queries.setQueryData(showGameDetailsQueryKey({ path }), data);
    void queries.invalidateQueries();
  }

  // One after the other: the answer that comes last is the newest.
  const saving = useMutation({ mutationFn: ({ body }: Change) => send(body), scope: { id: `game ${gameId}` } });

  /** Save, tell it, and offer the way back; whether it worked is answered. */
  async function save(change: Change): Promise<boolean> {
    try {
      await saving.mutateAsync(change);
    } catch {
      return false;
    }
    tell(change.told, {
      undo: () => {
        send(change.back).then(() => {
          tell(t("editing.undone"));
        }, tellOf);
      },
    });
    return true;
  }
  return { saving, save };
}
