import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { useI18n } from "vue-i18n";

import { type GameDetails, type GamePicture, removePicture, type Role } from "@/api";
import { confirm } from "@/kit/confirm";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

import { useSaveGame } from "./saveGame";

/** Roles that only one image can have. */
export const SINGLE = ["cover", "banner", "icon", "logo"] as const;
export type SingleRole = (typeof SINGLE)[number];

/** The media type of a dragged image. */
export const DRAGGED = "text/x-picture-id";

/** Actions for the images of a game; all but removal can be undone. */
export function usePictures(game: () => GameDetails) {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const queries = useQueryClient();
  const { saving, save } = useSaveGame(game().id);

  async function keep(change: Parameters<typeof save>[0]): Promise<void> {
    if (!(await save(change))) toastError(saving.error.value);
  }

  function use(role: SingleRole, pictureId: string | null): void {
    const told = t(pictureId ? "editing.pictures.used" : "editing.pictures.unused", {
      role: t(`editing.roles.${role}`),
    });
    if (pictureId !== game()[role]) void keep({ body: { [role]: pictureId }, back: { [role]: game()[role] }, told });
  }

  function arrange(carousel: string[]): Promise<void> {
    return keep({ body: { carousel }, back: { carousel: game().carousel }, told: t("editing.pictures.arranged") });
  }

  function toggleInCarousel(pictureId: string): void {
    const { carousel } = game();
    const isIn = carousel.includes(pictureId);
    void arrange(isIn ? carousel.filter((id) => id !== pictureId) : [...carousel, pictureId]);
  }

  const removing = useMutation({
    mutationFn: (imageId: string) => removePicture({ body: { gameId: game().id, imageId }, throwOnError: true }),
    onSuccess: () => {
      void queries.invalidateQueries();
      toast(t("editing.pictures.removed"));
    },
    onError: toastError,
  });

  async function remove(picture: GamePicture): Promise<void> {
    const uses = picture.uses.map((role: Role) => t(`editing.roles.${role}`)).join(", ");
    const sure = await confirm({
      title: t("editing.pictures.removeTitle"),
      loss: t(uses ? "editing.pictures.removeUsedLoss" : "editing.pictures.removeLoss", { uses }),
      action: t("kit.remove"),
    });
    if (sure) removing.mutate(picture.id);
  }

  return { use, arrange, toggleInCarousel, remove };
}
