import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/import/game",
    name: "import-game",
    component: () => import("./GameImportPage.vue"),
    meta: { access: "admin" },
  },
];
