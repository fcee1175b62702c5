import type { RouteRecordRaw } from "vue-router";

export const adminRoutes: RouteRecordRaw[] = [
  { path: "/admin/users", name: "users", component: () => import("./UsersPage.vue"), meta: { access: "admin" } },
  {
    path: "/admin/users/:id",
    name: "user",
    component: () => import("./UserPage.vue"),
    props: true,
    meta: { access: "admin" },
  },
];
