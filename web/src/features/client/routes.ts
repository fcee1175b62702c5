import type { RouteRecordRaw } from "vue-router";

import { IS_APP } from "@/api/agent";

// Only the app can install anything.
export const routes: RouteRecordRaw[] = IS_APP
  ? [
      { path: "/downloads", name: "downloads", component: () => import("./DownloadsPage.vue") },
      {
        path: "/disconnected",
        name: "disconnected",
        component: () => import("./DisconnectedPage.vue"),
        meta: { access: "anyone", layout: "standalone" },
      },
    ]
  : [];
