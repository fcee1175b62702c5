import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/import/runs",
    name: "import-runs",
    component: () => import("./RunsPage.vue"),
    meta: { access: "admin" },
  },
  {
    path: "/admin/import/runs/:id",
    name: "import-run",
    component: () => import("./RunPage.vue"),
    props: true,
    meta: { access: "admin" },
  },
];
