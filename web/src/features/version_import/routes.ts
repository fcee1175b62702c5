import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/games/:id/import",
    name: "import-version",
    component: () => import("./VersionImportPage.vue"),
    props: true,
    meta: { access: "admin" },
  },
];
