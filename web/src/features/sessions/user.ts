import { defineAsyncComponent } from "vue";

/** The sessions section of the user page. */
export const part = defineAsyncComponent(() => import("./SessionsOfUser.vue"));
