/** What the service takes as a picture. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp"];
export const MOST_PICTURE_BYTES = 8 * 1024 * 1024;

/** Why a file cannot be a picture, before it is sent; null if it may be one. */
export function faultOfPicture(file: Pick<File, "type" | "size">): "type" | "size" | null {
  if (!PICTURE_TYPES.includes(file.type)) return "type";
  return file.size > MOST_PICTURE_BYTES ? "size" : null;
}

/** Give a file's bytes in base64, as bodies carry them. */
export function inBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = reader.result as string;
      resolve(address.slice(address.indexOf(",") + 1));
    };
    reader.onerror = () => {
      reject(reader.error ?? new Error("The file cannot be read."));
    };
    reader.readAsDataURL(file);
  });
}
