const SLICE_BYTES = 1024 * 1024;

/** The SHA-256 of a piece. Browsers compute it themselves only on https and on the server's own machine. */
export async function sha256Of(piece: ArrayBuffer): Promise<Uint8Array> {
  if (window.isSecureContext) return new Uint8Array(await crypto.subtle.digest("SHA-256", piece));
  const { sha256 } = await import("@noble/hashes/sha2.js");
  const hash = sha256.create();
  for (let start = 0; start < piece.byteLength; start += SLICE_BYTES) {
    hash.update(new Uint8Array(piece, start, Math.min(SLICE_BYTES, piece.byteLength - start)));
    await nextTurn();
  }
  return hash.digest();
}

/** Let the page react. Browsers delay timers of hidden pages for up to a minute, but not messages. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
