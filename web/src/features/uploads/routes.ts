import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/uploads",
    name: "uploads",
    component: () => import("./UploadsPage.vue"),
    meta: { access: "admin" },
  },
];
