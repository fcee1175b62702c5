import type { PictureAnswer, RenditionAnswer, Size } from "@/api";

/** Where the bytes of an object are. */
export function objectUrl(id: string): string {
  return `/api/v1/object/${id}`;
}

/** The renditions of a picture as a browser chooses among them, narrowest first. */
export function sourceSet(picture: Pick<PictureAnswer, "renditions">): string {
  return byWidth(picture)
    .map((rendition) => `${objectUrl(rendition.objectId)} ${rendition.width}w`)
    .join(", ");
}

/** The rendition of a size, or the widest there is. */
export function rendition(picture: Pick<PictureAnswer, "renditions">, size: Size): RenditionAnswer | undefined {
  return picture.renditions.find((one) => one.size === size) ?? byWidth(picture).at(-1);
}

function byWidth(picture: Pick<PictureAnswer, "renditions">): RenditionAnswer[] {
  return [...picture.renditions].sort((a, b) => a.width - b.width);
}

/** A colour to tint a page with: that of the game's banner, or else one that belongs to its name. */
export function tintOf(game: { name: string; banner: Pick<PictureAnswer, "colour"> | null }): string {
  return game.banner?.colour ?? `oklch(0.45 0.12 ${hueOf(game.name)})`;
}

/** A hue of 0 to 359 that belongs to a name and stays with it. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % 360;
}
