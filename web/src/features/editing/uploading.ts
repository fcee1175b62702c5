import { useQueryClient } from "@tanstack/vue-query";
import { ref } from "vue";

import { addPictures, type Role } from "@/api";
import { useProblems } from "@/problems";

import { measured } from "./measured";

/** A file on its way to the server; `sent` is its share from 0 to 1. */
export interface Upload {
  id: number;
  name: string;
  sent: number;
  reason: string;
}

/** Pictures on their way to a game: one call for each, so that each is taken or refused for itself. */
export function useUploads(gameId: string) {
  const { explain } = useProblems();
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
    const fetch = measured((share) => {
      upload.sent = share;
    });
    try {
      await addPictures({ body: { id: gameId, files: [file], ...(use && { use }) }, fetch, throwOnError: true });
      await queries.invalidateQueries();
      dismiss(id);
    } catch (error) {
      const { text, fields } = explain(error);
      upload.reason = Object.values(fields)[0] ?? text;
    }
  }

  /** Send files, one after the other; the first of them is used as `use`. */
  function add(files: readonly File[], use?: Role): void {
    for (const [index, file] of files.entries()) {
      const id = ++last;
      uploads.value.push({ id, name: file.name, sent: 0, reason: "" });
      turn = turn.then(() => send(file, id, index === 0 || use === "carousel" ? use : undefined));
    }
  }

  return { uploads, add, dismiss };
}
