import type { RouteRecordRaw } from "vue-router";

import { showGameOptions } from "@/api";
import { queries } from "@/queries";

import { askAhead } from "./frontQueries";
import FrontPage from "./FrontPage.vue";

const SOON = 250;

/**
 * Start fetching a game with its page, and wait briefly: usually it is there in time to avoid a flash of the skeleton.
 */
async function fetchSoon(id: string): Promise<void> {
  const fetched = queries.prefetchQuery(showGameOptions({ path: { game_id: id } }));
  await Promise.race([fetched, new Promise((resolve) => setTimeout(resolve, SOON))]);
}

export const routes: RouteRecordRaw[] = [
  {
    path: "/",
    name: "store",
    component: FrontPage,
    meta: {
      ahead: () => {
        askAhead(queries);
      },
    },
  },
  { path: "/store", name: "games", component: () => import("./BrowsePage.vue") },
  { path: "/games", redirect: ({ query, hash }) => ({ name: "games", query, hash }) },
  {
    path: "/games/:id",
    name: "game",
    component: () => import("./GamePage.vue"),
    props: true,
    beforeEnter: (to) => fetchSoon(String(to.params.id)),
  },
];
