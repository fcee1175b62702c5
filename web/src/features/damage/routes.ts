import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/admin/damage", name: "damage", component: () => import("./DamagePage.vue"), meta: { access: "admin" } },
];
