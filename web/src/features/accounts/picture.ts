/** What the service accepts as an image. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp"];
export const MAX_PICTURE_BYTES = 8 * 1024 * 1024;

/** Return why a file cannot be used as an image, or null. */
export function pictureErrorOf(file: Pick<File, "type" | "size">): "type" | "size" | null {
  if (!PICTURE_TYPES.includes(file.type)) return "type";
  return file.size > MAX_PICTURE_BYTES ? "size" : null;
}
