import { ARCHIVE_ENDING, INSTALLER } from "@/features/games/archives";

/** The name of the version of a game without folders for versions. */
export const ONLY_VERSION = "default";

/** Whether a version on disk is an archive or installer, by the name of its file. */
export function isPacked(name: string): boolean {
  return ARCHIVE_ENDING.test(name) || INSTALLER.test(name);
}
