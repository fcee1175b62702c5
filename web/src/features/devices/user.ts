import { defineAsyncComponent } from "vue";

/** The section of the user page with devices. */
export const part = defineAsyncComponent(() => import("./DevicesOfUser.vue"));
