import type { RouteRecordRaw } from "vue-router";

// Bookmarks of earlier releases.
export const routes: RouteRecordRaw[] = [{ path: "/admin/server", redirect: "/admin/settings" }];
