import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/damage/moved",
    name: "moved-games",
    component: () => import("./MovedGamesPage.vue"),
    meta: { access: "admin" },
  },
];
