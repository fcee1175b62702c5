import { defineAsyncComponent } from "vue";

/** What an admin sees of a user's sessions. */
export const part = defineAsyncComponent(() => import("./SessionsOfUser.vue"));
