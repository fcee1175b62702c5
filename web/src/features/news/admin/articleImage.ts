import type { QueryClient } from "@tanstack/vue-query";
import { useObjectUrl } from "@vueuse/core";
import { computed, type ComputedRef, ref, shallowRef } from "vue";

import { type ArticleResponse, removeArticleImage, uploadArticleImage } from "@/api";
import { objectUrl } from "@/features/games/pictures";

const KEYS = ["listNews", "showArticle"];

/** The image of an article, which is sent when the article is saved. */
export interface ArticleImage {
  shown: ComputedRef<string | undefined>;
  /** Whether another one, or none, is to be saved. */
  isChanged: ComputedRef<boolean>;
  choose: (file: File) => void;
  remove: () => void;
  save: (articleId: string) => Promise<void>;
}

export function useArticleImage(article: ArticleResponse | null): ArticleImage {
  const file = shallowRef<File | null>(null);
  const isRemoved = ref(false);
  const chosen = useObjectUrl(file);
  const shown = computed(() => {
    if (chosen.value) return chosen.value;
    return article?.imageObjectId && !isRemoved.value ? objectUrl(article.imageObjectId) : undefined;
  });

  async function save(articleId: string): Promise<void> {
    const path = { article_id: articleId };
    if (file.value) await uploadArticleImage({ path, body: { files: [file.value] }, throwOnError: true });
    else if (isRemoved.value) await removeArticleImage({ path, throwOnError: true });
  }

  function choose(chosenFile: File): void {
    file.value = chosenFile;
  }

  function remove(): void {
    file.value = null;
    isRemoved.value = true;
  }

  return {
    shown,
    isChanged: computed(() => file.value !== null || (isRemoved.value && Boolean(article?.imageObjectId))),
    choose,
    remove,
    save,
  };
}

/** Fetch articles again wherever they are shown. */
export async function newsChanged(queries: QueryClient): Promise<void> {
  const isNews = (key: unknown) => KEYS.includes((key as { _id?: string } | undefined)?._id ?? "");
  await queries.invalidateQueries({ predicate: ({ queryKey }) => isNews(queryKey[0]) });
}
