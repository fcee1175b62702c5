import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/settings/:section?",
    name: "server-settings",
    component: () => import("./SettingsPage.vue"),
    props: true,
    meta: { access: "admin" },
  },
];
