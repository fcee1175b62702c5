import type { RouteRecordRaw } from "vue-router";

import SignInPage from "./SignInPage.vue";

export const routes: RouteRecordRaw[] = [
  {
    path: "/auth/signin",
    name: "sign-in",
    component: SignInPage,
    meta: { access: "anyone", layout: "standalone" },
  },
];
