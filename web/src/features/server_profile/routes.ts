import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/server",
    name: "server-profile",
    component: () => import("./ServerProfilePage.vue"),
    meta: { access: "admin" },
  },
];
