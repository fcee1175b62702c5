import type { RouteRecordRaw } from "vue-router";

export const adminRoutes: RouteRecordRaw[] = [
  {
    path: "/admin/invitations",
    name: "invitations",
    component: () => import("./InvitationsPage.vue"),
    meta: { access: "admin" },
  },
];
