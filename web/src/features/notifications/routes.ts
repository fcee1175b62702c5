import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/auth/:action(email|unsubscribe)",
    name: "mail-link",
    component: () => import("./MailLinkPage.vue"),
    meta: { access: "anyone", layout: "standalone" },
  },
];
