import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/device", name: "device", component: () => import("./DevicePage.vue"), meta: { layout: "standalone" } },
  {
    path: "/client/authorize/:id",
    name: "drop-client",
    component: () => import("./DropClientPage.vue"),
    meta: { layout: "standalone" },
  },
];
