import type { BackendKind } from "@/api";
import { ARCHIVE_ENDING, INSTALLER } from "@/features/games/archives";

/** The names of the folders or archives that an upload becomes, and the ending of an archive. */
export interface Names {
  game: string;
  version: string;
  ending: string;
}

// "Hollow Knight v1.5.78 (GOG)", "openttd-14.1". A number without a dot or a leading v is part of the name: "Portal 2".
const VERSION = /^(.+?)[\s_-]+(?:v(\d+(?:\.\d+)*[a-z]?)|(\d+(?:\.\d+)+[a-z]?))(?:[\s_(-].*)?$/i;
const PART = /^-\d+[a-z]?\.bin$/i;
const FIRST_VERSION = "1.0";

/** The names that an installer suggests. Its file keeps its name, by which its parts are found. */
export function namesOfInstaller(installer: string): Names {
  const words = installer
    .replace(/^setup[ _-]+/i, "")
    .replace(/\.exe$/i, "")
    .replaceAll("_", " ");
  return { game: suggestedNames(words, false).game, version: "", ending: installer };
}

/** The names that the name of a folder or archive suggests. Where a game has one folder, that has the whole name. */
export function suggestedNames(name: string, isArchive: boolean, backend: BackendKind = "Filesystem"): Names {
  const ending = (isArchive && ARCHIVE_ENDING.exec(name)?.[0]) || "";
  const stem = name.slice(0, name.length - ending.length);
  if (backend === "FlatFilesystem") return { game: stem, version: "", ending };
  const found = VERSION.exec(stem);
  return { game: found?.[1] ?? stem, version: found?.[2] ?? found?.[3] ?? FIRST_VERSION, ending };
}

/** What the service is told: in a library without folders for versions, the archive is the game. */
export function placeOf({ game, version, ending }: Names, backend: BackendKind): { game: string; version: string } {
  const isFlat = backend === "FlatFilesystem";
  // The name of an installer is all of the name.
  if (INSTALLER.test(ending)) return isFlat ? { game: ending, version: "" } : { game: game.trim(), version: ending };
  return isFlat ? { game: game.trim() + ending, version: "" } : { game: game.trim(), version: version.trim() + ending };
}

/** The installer if files are nothing but it and its parts: `setup_game.exe`, `setup_game-1.bin`. */
export function installerOf(paths: readonly string[]): string | null {
  const installer = paths.find((path) => INSTALLER.test(path));
  if (!installer) return null;
  const stem = installer.slice(0, -".exe".length).toLowerCase();
  const isPart = (path: string) =>
    path === installer || (path.toLowerCase().startsWith(stem) && PART.test(path.slice(stem.length)));
  return paths.every(isPart) ? installer : null;
}

/** Whether a single file is uploaded as an archive, instead of as a folder with one file. */
export function isArchiveName(name: string): boolean {
  return ARCHIVE_ENDING.test(name);
}
