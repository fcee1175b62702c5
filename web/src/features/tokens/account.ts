import { defineAsyncComponent } from "vue";

import type { AccountPart } from "@/features/accounts/parts";

export const parts: AccountPart[] = [
  { tab: "tokens", place: 1, part: defineAsyncComponent(() => import("./TokensPart.vue")) },
];
