import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/device", name: "device", component: () => import("./DevicePage.vue"), meta: { layout: "standalone" } },
];
