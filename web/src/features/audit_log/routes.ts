import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/audit",
    name: "audit-log",
    component: () => import("./AuditPage.vue"),
    meta: { access: "admin" },
  },
];
