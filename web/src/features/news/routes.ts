import type { RouteRecordRaw } from "vue-router";

export const routes: RouteRecordRaw[] = [
  { path: "/news", name: "news", component: () => import("./NewsPage.vue") },
  { path: "/news/:id", name: "article", component: () => import("./ArticlePage.vue"), props: true },
  {
    path: "/admin/news/new",
    name: "new-article",
    component: () => import("./admin/ArticleEditor.vue"),
    meta: { access: "admin" },
  },
  {
    path: "/admin/news/:id",
    name: "edit-article",
    component: () => import("./admin/ArticleEditor.vue"),
    props: true,
    meta: { access: "admin" },
  },
];
