import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/libraries",
    name: "libraries",
    component: () => import("./LibrariesPage.vue"),
    meta: { access: "admin" },
  },
];
