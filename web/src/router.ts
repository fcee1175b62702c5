import { createRouter, createWebHistory, type RouteLocationResolved, type RouteRecordRaw } from "vue-router";

import { fetchAccount } from "@/features/accounts/own";
import { loadShell } from "@/layout/shell";
import { scrollBehavior, useTransitions } from "@/layout/transitions";
import { queries } from "@/queries";

// Every feature says in its `routes.ts` at which addresses it is.
const features = import.meta.glob<RouteRecordRaw[]>("./features/*/routes.ts", { eager: true, import: "routes" });

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    ...Object.values(features).flat(),
    {
      path: "/:path(.*)*",
      name: "not-found",
      component: () => import("@/layout/NotFoundPage.vue"),
      meta: { access: "anyone" },
    },
  ],
  scrollBehavior,
});
useTransitions(router);

router.beforeEach(async (to) => {
  const access = to.meta.access;
  // A page for anyone may still be shown without an answer from the server.
  const account = await fetchAccount(queries).catch((error: unknown) => {
    if (access === "anyone") return null;
    throw error;
  });
  if (access === "anyone") return true;
  if (!account) return { name: "sign-in", query: { redirect: to.fullPath } };
  if (access === "admin" && !account.admin) {
    return { name: "not-found", params: { path: to.path.slice(1).split("/") }, query: to.query, replace: true };
  }
  return true;
});

/** Fetch what a page consists of and who is here, without waiting for either. */
export function fetchAhead(to: RouteLocationResolved): void {
  fetchAccount(queries).then(
    (account) => account && to.meta.ahead?.(),
    () => undefined,
  );
  if (to.meta.frame !== "bare") loadShell().catch(() => undefined);
  for (const record of to.matched) {
    const page: unknown = record.components?.default;
    if (typeof page === "function") (page as () => Promise<unknown>)().catch(() => undefined);
  }
}
