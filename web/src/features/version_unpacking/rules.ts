import type { LibraryResponse } from "@/api";
import { ARCHIVE_ENDING, INSTALLER } from "@/features/games/archives";

/** The name of the version of a game without folders for versions. */
export const ONLY_VERSION = "default";

/** Whether a version on disk is an archive or installer, by the name of its file. */
export function isPacked(name: string): boolean {
  return ARCHIVE_ENDING.test(name) || INSTALLER.test(name);
}

/**
 * The libraries into which an archive can be unpacked: its own one, if Playdock manages it, otherwise the managed ones
 * with the same layout. All versions of an imported game are in one library.
 */
export function targetsOf(
  libraries: readonly LibraryResponse[],
  library: string,
  isImported: boolean,
): readonly LibraryResponse[] {
  const own = libraries.find(({ id }) => id === library);
  if (own === undefined || own.options.managed) return own ? [own] : [];
  if (isImported || own.backend === "S3") return [];
  return libraries.filter(({ options, backend }) => options.managed && backend === own.backend);
}
