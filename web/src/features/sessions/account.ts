import { defineAsyncComponent } from "vue";

import type { AccountPart } from "@/features/accounts/parts";

export const parts: AccountPart[] = [
  { tab: "devices", place: 2, part: defineAsyncComponent(() => import("./SessionsPart.vue")) },
];
