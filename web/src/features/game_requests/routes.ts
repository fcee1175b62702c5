import type { RouteRecordRaw } from "vue-router";

const component = () => import("./RequestsPage.vue");

export const routes: RouteRecordRaw[] = [
  { path: "/requests", name: "requests", component, props: { status: "waiting" } },
  { path: "/requests/answered", name: "requests-ended", component, props: { status: "ended" } },
];
