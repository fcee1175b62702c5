import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/admin/tasks", name: "tasks", component: () => import("./TasksPage.vue"), meta: { access: "admin" } },
  {
    path: "/admin/tasks/:id",
    name: "task",
    component: () => import("./TaskPage.vue"),
    props: true,
    meta: { access: "admin" },
  },
];
