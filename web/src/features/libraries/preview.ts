import { useQuery, useQueryClient } from "@tanstack/vue-query";
import { refDebounced } from "@vueuse/core";
import { computed, reactive, ref, type Ref, watch } from "vue";

import { type BackendKind, previewLibraryOptions, searchMetadataOptions } from "@/api";

/** How many covers are looked for: each is a search at all providers. */
export const MAX_COVERS = 12;
const TYPING_PAUSE_MS = 600;

/**
 * The layout of a library, and what it would contain, while its path is typed. The layout is the recognized one until
 * another is chosen; `saved` is that of a library which is changed.
 */
export function useLayout(path: Readonly<Ref<string>>, saved?: BackendKind) {
  const queries = useQueryClient();
  const chosen = ref(saved);
  const typed = refDebounced(path, TYPING_PAUSE_MS);
  const isInS3 = computed(() => (chosen.value ?? (path.value.startsWith("s3:") ? "S3" : "")) === "S3");
  const isLooking = computed(() => !isInS3.value && path.value.startsWith("/"));
  const query = useQuery(
    computed(() => ({
      ...previewLibraryOptions({ query: { path: typed.value, ...(chosen.value && { backend: chosen.value }) } }),
      enabled: isLooking.value && typed.value === path.value,
      retry: false,
    })),
  );
  const preview = computed(() => (isLooking.value && typed.value === path.value ? query.data.value : undefined));
  const backend = computed<BackendKind>({
    get: () => chosen.value ?? (isInS3.value ? "S3" : (preview.value?.recognized ?? "Filesystem")),
    set: (kind) => {
      chosen.value = kind;
    },
  });
  /** The layout to save: somebody may add a library before its preview has been shown. */
  async function settled(): Promise<BackendKind> {
    if (chosen.value || !isLooking.value) return backend.value;
    const options = { ...previewLibraryOptions({ query: { path: path.value } }), retry: false };
    // Saving reports what is wrong with the folder.
    return (await queries.fetchQuery(options).catch(() => undefined))?.recognized ?? backend.value;
  }
  return { backend, preview, settled };
}

/** The covers of the first games by title, one search after the other, because providers limit their number. */
export function useCovers(titles: Readonly<Ref<readonly string[]>>) {
  const queries = useQueryClient();
  const covers = reactive(new Map<string, string>());
  watch(
    titles,
    async (wanted, _, onCleanup) => {
      let isCurrent = true;
      onCleanup(() => {
        isCurrent = false;
      });
      for (const title of wanted.slice(0, MAX_COVERS)) {
        if (!isCurrent) return;
        if (covers.has(title)) continue;
        const options = {
          ...searchMetadataOptions({ query: { q: title } }),
          staleTime: "static" as const,
          retry: false,
        };
        const found = await queries.fetchQuery(options).catch(() => []);
        covers.set(title, found[0]?.icon ?? "");
      }
    },
    { immediate: true },
  );
  return covers;
}
