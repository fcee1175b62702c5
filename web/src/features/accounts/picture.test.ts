import { expect, test } from "vitest";

import { faultOfPicture, inBase64, MOST_PICTURE_BYTES } from "./picture";

test("a picture is a PNG, JPEG or WebP of at most eight mebibytes", () => {
  expect(faultOfPicture({ type: "image/webp", size: MOST_PICTURE_BYTES })).toBeNull();
  expect(faultOfPicture({ type: "image/webp", size: MOST_PICTURE_BYTES + 1 })).toBe("size");
  expect(faultOfPicture({ type: "image/svg+xml", size: 10 })).toBe("type");
  expect(faultOfPicture({ type: "", size: 10 })).toBe("type");
});

test("a file's bytes are sent in base64 alone", async () => {
  expect(await inBase64(new Blob([new Uint8Array([255, 254, 0])], { type: "image/png" }))).toBe("//4A");
});
