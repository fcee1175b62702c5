/** The frame with navigation; loaded only for signed-in users. */
export const loadShell = () => import("./Shell.vue");
