import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/import/:part(certain)?",
    name: "import-plan",
    component: () => import("./PlanPage.vue"),
    props: true,
    meta: { access: "admin" },
  },
  {
    path: "/admin/start",
    name: "start",
    component: () => import("./StartPage.vue"),
    meta: { access: "admin" },
  },
];
