import type { Platform, TagKind } from "@/api";

/** What games run on, as people look for them. */
export const PLATFORMS: readonly Platform[] = ["Windows", "Linux", "macOS"];

/** What a tag may say of a game, the telling kinds first; `games.kinds` says each in words. */
export const TAG_KINDS: readonly TagKind[] = ["genre", "theme", "mode", "perspective", "keyword"];
