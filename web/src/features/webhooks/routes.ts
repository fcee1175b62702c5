import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/admin/webhooks",
    name: "webhooks",
    component: () => import("./WebhooksPage.vue"),
    meta: { access: "admin" },
  },
];
