import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/trash",
    name: "trash",
    component: () => import("./TrashPage.vue"),
    meta: { access: "admin" },
  },
];
