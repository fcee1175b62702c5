import { expect, test } from "vitest";

import { pictureErrorOf, MAX_PICTURE_BYTES } from "./picture";

test("a picture is a PNG, JPEG or WebP of at most eight mebibytes", () => {
  expect(pictureErrorOf({ type: "image/webp", size: MAX_PICTURE_BYTES })).toBeNull();
  expect(pictureErrorOf({ type: "image/webp", size: MAX_PICTURE_BYTES + 1 })).toBe("size");
  expect(pictureErrorOf({ type: "image/svg+xml", size: 10 })).toBe("type");
  expect(pictureErrorOf({ type: "", size: 10 })).toBe("type");
});
