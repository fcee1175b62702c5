import { afterEach, expect, test, vi } from "vitest";

import { sha256Of } from "./hashing";

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([0, 1, 1024 * 1024, 1024 * 1024 + 1, 3_000_000])(
  "%i bytes have the same hash with and without the browser's own function",
  async (length) => {
    const piece = Uint8Array.from({ length }, (_, index) => index % 251).buffer;
    const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", piece));

    vi.stubGlobal("isSecureContext", false);
    expect(await sha256Of(piece)).toEqual(expected);
    vi.stubGlobal("isSecureContext", true);
    expect(await sha256Of(piece)).toEqual(expected);
  },
);
