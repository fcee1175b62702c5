const PACKED = /\.(zip|7z|rar|iso|tar(\.(gz|bz2|xz|zst|lzma))?|tgz|tbz2?|txz|tzst)$|^setup[ _-].*\.exe$/i;

/** The name of the version of a game without folders for versions. */
export const ONLY_VERSION = "default";

/** Whether a version on disk is an archive or installer, by the name of its file. */
export function isPacked(name: string): boolean {
  return PACKED.test(name);
}
