import { defineAsyncComponent } from "vue";

/** The section of the user page with API tokens. */
export const part = defineAsyncComponent(() => import("./TokensOfUser.vue"));
