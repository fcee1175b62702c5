import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/client",
    name: "client",
    component: () => import("./ClientPage.vue"),
    meta: { access: "anyone" },
  },
];
