import type { RouteRecordRaw } from "vue-router";

import { adminRoutes } from "./admin/routes";

export const routes: RouteRecordRaw[] = [
  {
    path: "/auth/register",
    name: "register",
    component: () => import("./RegisterPage.vue"),
    meta: { access: "anyone", layout: "standalone" },
  },
  {
    path: "/auth/welcome",
    name: "welcome",
    component: () => import("./WelcomePage.vue"),
    meta: { layout: "standalone" },
  },
  ...adminRoutes,
];
