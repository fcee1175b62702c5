import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  {
    path: "/auth/signin",
    name: "sign-in",
    component: () => import("./SignInPage.vue"),
    meta: { access: "anyone", frame: "bare" },
  },
];
