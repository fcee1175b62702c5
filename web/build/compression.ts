import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import type { Plugin } from "vite";

const PACKED = /\.(woff2|png|webp|br|gz)$/;

function prepare(path: string): void {
  const content = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const forms = { br: brotliCompressSync(content, { params }), gz: gzipSync(content, { level: 9 }) };
  for (const [coding, bytes] of Object.entries(forms)) {
    if (bytes.length < content.length) writeFileSync(`${path}.${coding}`, bytes);
  }
}

/** Lays a brotli and a gzip form beside every built file that becomes smaller by it: the service sends what a browser takes. */
export function compression(): Plugin {
  let built = "";
  return {
    name: "compression",
    apply: "build",
    configResolved: (config) => {
      built = config.build.outDir;
    },
    closeBundle: () => {
      for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && !PACKED.test(entry.name)) prepare(join(entry.parentPath, entry.name));
      }
    },
  };
}
