import { createRouter, createWebHistory, type RouteLocationResolved, type RouteRecordRaw } from "vue-router";

import { statusOf } from "@/api";
import { IS_APP } from "@/api/agent";
import { BASE_PATH } from "@/api/basePath";
import { canAdminister, fetchAccount } from "@/features/accounts/currentUser";
import { fetchServerProfile } from "@/features/server_profile/serverProfile";
import { closeDialogsOnBack } from "@/kit/openDialogs";
import { loadShell } from "@/layout/shell";
import { scrollBehavior, useTransitions } from "@/layout/transitions";
import { queries } from "@/queries";

// Features define their routes in `routes.ts`.
const features = import.meta.glob<RouteRecordRaw[]>("./features/*/routes.ts", { eager: true, import: "routes" });

export const router = createRouter({
  history: createWebHistory(`${BASE_PATH}/`),
  routes: [
    ...Object.values(features).flat(),
    {
      path: "/docs/api",
      name: "reference",
      component: () => import("@/layout/ReferencePage.vue"),
      meta: { access: "anyone", layout: "standalone" },
    },
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
closeDialogsOnBack(router);

router.beforeEach(async (to) => {
  const access = to.meta.access;
  // Public pages also work while the service does not respond.
  const [account] = await Promise.all([
    fetchAccount(queries).catch((error: unknown) => {
      // The app's pages have no session, but a device, which may have been signed out elsewhere.
      if (access === "anyone" || (IS_APP && statusOf(error) === 401)) return null;
      throw error;
    }),
    fetchServerProfile(queries),
  ]);
  if (access === "anyone") return true;
  if (!account && IS_APP) return { name: "disconnected" };
  if (!account) return { name: "sign-in", query: { redirect: to.fullPath } };
  if (access === "admin" && !canAdminister(account)) {
    return { name: "not-found", params: { path: to.path.slice(1).split("/") }, query: to.query, replace: true };
  }
  return true;
});

/** Prefetch a page's chunks and the account. */
export function fetchAhead(to: RouteLocationResolved): void {
  fetchAccount(queries).then(
    (account) => account && to.meta.ahead?.(),
    () => undefined,
  );
  if (to.meta.layout !== "standalone") loadShell().catch(() => undefined);
  for (const record of to.matched) {
    const page: unknown = record.components?.default;
    if (typeof page === "function") (page as () => Promise<unknown>)().catch(() => undefined);
  }
}
