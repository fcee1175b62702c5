import "vue-router";

declare module "vue-router" {
  interface RouteMeta {
    /** Who can open the page; by default all signed-in users. */
    access?: "anyone" | "admin";
    /** Standalone pages have no navigation. */
    layout?: "standalone";
    /** Prefetches the page's queries when it is the first one opened. */
    ahead?: () => void;
  }
}

export {};
