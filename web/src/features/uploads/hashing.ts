const SLICE_BYTES = 1024 * 1024;

/** The SHA-256 of a piece. Browsers compute it themselves only on https and on the server's own machine. */
export async function sha256Of(piece: ArrayBuffer): Promise<Uint8Array> {
  if (window.isSecureContext) return new Uint8Array(await crypto.subtle.digest("SHA-256", piece));
  const { sha256 } = await import("@noble/hashes/sha2.js");
  const hash = sha256.create();
  for (let start = 0; start < piece.byteLength; start += SLICE_BYTES) {
    hash.update(new Uint8Array(piece, start, Math.min(SLICE_BYTES, piece.byteLength - start)));
    // Otherwise the page would not react in the meantime.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return hash.digest();
}
