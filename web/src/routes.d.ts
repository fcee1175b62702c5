import "vue-router";

declare module "vue-router" {
  interface RouteMeta {
    /** Who may see the page; players if it does not say. */
    access?: "anyone" | "admin";
    /** Bare pages stand alone, without navigation. */
    frame?: "bare";
    /** Asks for what the page will ask for, where it is the first one that somebody opens. */
    ahead?: () => void;
  }
}

export {};
