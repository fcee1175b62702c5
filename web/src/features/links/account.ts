import { defineAsyncComponent } from "vue";

import type { AccountPart } from "@/features/accounts/parts";

export const parts: AccountPart[] = [
  { tab: "downloads", place: 1, part: defineAsyncComponent(() => import("./LimitsPart.vue")) },
  { tab: "downloads", place: 2, part: defineAsyncComponent(() => import("./LinksPart.vue")) },
];
