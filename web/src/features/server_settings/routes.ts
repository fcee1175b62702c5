import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/settings",
    name: "server-settings",
    component: () => import("./SettingsPage.vue"),
    meta: { access: "admin" },
  },
];
