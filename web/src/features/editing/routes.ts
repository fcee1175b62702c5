import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/admin/games", name: "admin-games", component: () => import("./GamesPage.vue"), meta: { access: "admin" } },
  {
    path: "/admin/games/:id/:tab(pictures|versions|metadata|files)?",
    name: "admin-game",
    component: () => import("./EditPage.vue"),
    props: true,
    meta: { access: "admin" },
  },
];
