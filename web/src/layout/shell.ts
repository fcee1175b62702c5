/** The frame around pages; strangers never need it. */
export const loadShell = () => import("./Shell.vue");
