import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/library", name: "library", component: () => import("./LibraryPage.vue") },
  { path: "/collections", name: "collections", component: () => import("./CollectionsPage.vue") },
  { path: "/collections/:id", name: "collection", component: () => import("./CollectionPage.vue"), props: true },
];
