import { useQueryClient } from "@tanstack/vue-query";
import { ref } from "vue";

import { addPictures, type Role } from "@/api";
import { useErrorMessages } from "@/problems";

import { fetchWithProgress } from "./uploadProgress";

/** An upload; `sent` is its progress from 0 to 1. */
export interface Upload {
  id: number;
  name: string;
  sent: number;
  reason: string;
}

/** Image uploads of a game: one request each, so that each can succeed or fail on its own. */
export function useUploads(gameId: string) {
  const { describeError } = useErrorMessages();
  const queries = useQueryClient();
  const uploads = ref<Upload[]>([]);
  let last = 0;
  let turn = Promise.resolve();

  function dismiss(id: number): void {
    uploads.value = uploads.value.filter((upload) => upload.id !== id);
  }

  async function send(file: File, id: number, use: Role | undefined): Promise<void> {
    const upload = uploads.value.find((one) => one.id === id);
    if (!upload) return;
    const fetch = fetchWithProgress((share) => {
      upload.sent = share;
    });
    try {
      await addPictures({ body: { id: gameId, files: [file], ...(use && { use }) }, fetch, throwOnError: true });
      await queries.invalidateQueries();
      dismiss(id);
    } catch (error) {
      const { text, fields } = describeError(error);
      upload.reason = Object.values(fields)[0] ?? text;
    }
  }

  /** Upload files one after the other; the first one gets the role `use`. */
  function add(files: readonly File[], use?: Role): void {
    for (const [index, file] of files.entries()) {
      const id = ++last;
      uploads.value.push({ id, name: file.name, sent: 0, reason: "" });
      turn = turn.then(() => send(file, id, index === 0 || use === "carousel" ? use : undefined));
    }
  }

  return { uploads, add, dismiss };
}
