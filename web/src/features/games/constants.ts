import type { Platform, TagKind } from "@/api";

/** The platforms, in the order of their popularity. */
export const PLATFORMS: readonly Platform[] = ["Windows", "Linux", "macOS"];

/** The kinds of tags, the most meaningful first; `games.kinds` has their labels. */
export const TAG_KINDS: readonly TagKind[] = ["genre", "theme", "mode", "perspective", "keyword"];
