import { expect, test } from "vitest";

import { toBase64Url } from "./push";

test("keys are base64url without padding", () => {
  expect(toBase64Url(new Uint8Array([251, 255, 254, 0]).buffer)).toBe("-__-AA");
  expect(toBase64Url(null)).toBe("");
});
