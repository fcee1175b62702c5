import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/admin/tags", name: "tags", component: () => import("./TagsPage.vue"), meta: { access: "admin" } },
];
