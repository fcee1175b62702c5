import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/admin", name: "dashboard", component: () => import("./DashboardPage.vue"), meta: { access: "admin" } },
];
