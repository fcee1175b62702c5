import { expect, test } from "vitest";

import { pictureErrorOf, toBase64, MAX_PICTURE_BYTES } from "./picture";

test("a picture is a PNG, JPEG or WebP of at most eight mebibytes", () => {
  expect(pictureErrorOf({ type: "image/webp", size: MAX_PICTURE_BYTES })).toBeNull();
  expect(pictureErrorOf({ type: "image/webp", size: MAX_PICTURE_BYTES + 1 })).toBe("size");
  expect(pictureErrorOf({ type: "image/svg+xml", size: 10 })).toBe("type");
  expect(pictureErrorOf({ type: "", size: 10 })).toBe("type");
});

test("a file is encoded as base64 without a data URL prefix", async () => {
  expect(await toBase64(new Blob([new Uint8Array([255, 254, 0])], { type: "image/png" }))).toBe("//4A");
});
