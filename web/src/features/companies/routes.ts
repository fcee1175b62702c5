import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/companies",
    name: "companies",
    component: () => import("./CompaniesPage.vue"),
    meta: { access: "admin" },
  },
];
