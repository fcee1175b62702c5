import { fileURLToPath } from "node:url";

import tailwind from "@tailwindcss/vite";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vitest/config";

import { compression } from "./build/compression.ts";

const service = process.env.PLAYDOCK ?? "http://localhost:3000";

export default defineConfig({
  // Files refer to each other relatively, and the service writes its path into the document: see `src/api/basePath.ts`.
  base: "./",
  plugins: [vue(), tailwind(), compression()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  define: {
    __VUE_OPTIONS_API__: false,
    __VUE_I18N_LEGACY_API__: false,
    __INTLIFY_PROD_DEVTOOLS__: false,
  },
  build: {
    outDir: "../src/playdock/web/built",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // Swagger UI is one chunk, which only the API reference loads.
    chunkSizeWarningLimit: 1600,
    // What every page needs comes in one piece; menus and dialogs when they are needed.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: "base",
              test: /node_modules\/(@vue|vue|vue-router|vue-i18n|@intlify|vue-demi|@vueuse|@tanstack\/(query-core|vue-query))\//,
            },
            {
              name: "menus",
              test: /node_modules\/(reka-ui|@floating-ui|aria-hidden|@internationalized)\/|kit\/(Menu|Dialog|ConfirmDialog)/,
            },
            { name: "icons", test: /node_modules\/@lucide\//, minShareCount: 2 },
            {
              name: "frame",
              test: /src\/(layout|locales\/(index|gather|numbers|region)|queries|api|features\/(accounts\/(currentUser|signOut|Avatar)|search\/(paletteState|recentGames)))/,
            },
            { name: "kit", test: /src\/(kit|problems)\/(?!Markdown|DataGrid|ExpandableList)/, minShareCount: 3 },
            { name: "games", test: /src\/features\/games\/(?!GameGrid|grid|Lightbox)/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  // `npm run dev` shows the pages as they are written, of a service that runs beside.
  server: { proxy: { "/api": { target: service, ws: true }, "/auth/oidc": service, "/auth/callback": service } },
  test: { environment: "happy-dom", include: ["src/**/*.test.ts"] },
});
