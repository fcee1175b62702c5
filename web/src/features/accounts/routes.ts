import type { RouteRecordRaw } from "vue-router";

import { adminRoutes } from "./admin/routes";

export const routes: RouteRecordRaw[] = [
  {
    path: "/account/:section(sign-in|devices|notifications|tokens|downloads)?",
    name: "account",
    component: () => import("./AccountPage.vue"),
  },
  {
    path: "/auth/reset",
    name: "reset",
    component: () => import("./ResetPage.vue"),
    meta: { access: "anyone", layout: "standalone" },
  },
  ...adminRoutes,
];
