import type { PictureResponse, RenditionResponse, Size } from "@/api";
import { withBase } from "@/api/basePath";

/** The address of an object's content. */
export function objectUrl(id: string): string {
  return withBase(`/api/v1/object/${id}`);
}

/** The `srcset` of an image, narrowest first. */
export function sourceSet(picture: Pick<PictureResponse, "renditions">): string {
  return byWidth(picture)
    .map((rendition) => `${objectUrl(rendition.objectId)} ${rendition.width}w`)
    .join(", ");
}

/** The rendition of a size, or the widest one. */
export function rendition(picture: Pick<PictureResponse, "renditions">, size: Size): RenditionResponse | undefined {
  return picture.renditions.find((one) => one.size === size) ?? byWidth(picture).at(-1);
}

function byWidth(picture: Pick<PictureResponse, "renditions">): RenditionResponse[] {
  return [...picture.renditions].sort((a, b) => a.width - b.width);
}

/** The color that tints a game's page: the banner's, or else one derived from the name. */
export function tintOf(game: { name: string; banner: Pick<PictureResponse, "colour"> | null }): string {
  return game.banner?.colour ?? `oklch(0.45 0.12 ${hueOf(game.name)})`;
}

/** A hue from 0 to 359 derived from a name. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % 360;
}
