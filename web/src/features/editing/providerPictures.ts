import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed, ref } from "vue";
import { useI18n } from "vue-i18n";

import {
  type GameDetails,
  listProviderPicturesOptions,
  type ProviderPicture,
  type Role,
  useProviderPicture as postProviderPicture,
} from "@/api";
import { toast } from "@/kit/toasts";
import { useErrorMessages } from "@/problems";

/** The roles in which a game shows images. */
export const ROLES = ["cover", "banner", "icon", "logo", "carousel"] as const satisfies readonly Role[];

/** The images that providers offer for a game. They are asked on request, because they may be slow. */
export function useProviderPictures(game: () => GameDetails) {
  const { t } = useI18n();
  const { toastError } = useErrorMessages();
  const queries = useQueryClient();
  const wanted = ref(false);
  const path = { game_id: game().id };

  const offered = useQuery(
    computed(() => ({
      ...listProviderPicturesOptions({ path }),
      enabled: wanted.value,
      staleTime: "static" as const,
    })),
  );

  const using = useMutation({
    mutationFn: ({ role, address }: ProviderPicture) =>
      postProviderPicture({ path, body: { role, address }, throwOnError: true }),
    onSuccess: (_, { role }) => {
      void queries.invalidateQueries();
      toast(
        role === "carousel"
          ? t("editing.pictures.arranged")
          : t("editing.pictures.used", { role: t(`editing.roles.${role}`) }),
      );
    },
    onError: toastError,
  });

  function isUsed({ role, address }: ProviderPicture): boolean {
    return game().pictures.some((picture) => picture.address === address && picture.uses.includes(role));
  }

  return { wanted, offered, using, isUsed };
}
