/** The ending of the name of an archive that can be a version. */
export const ARCHIVE_ENDING = /\.(zip|7z|rar|iso|tar(\.(gz|bz2|xz|zst|lzma|lz4|lz|z))?|tgz|tbz2?|txz|tzst|tlz)$/i;

/** The name of an installer that can be a version, together with its parts. */
export const INSTALLER = /^setup[ _-][^/]*\.exe$/i;
