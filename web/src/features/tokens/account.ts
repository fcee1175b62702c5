import { defineAsyncComponent } from "vue";

import type { AccountSection } from "@/features/accounts/sections";

export const parts: AccountSection[] = [
  { tab: "tokens", place: 1, part: defineAsyncComponent(() => import("./TokensSection.vue")) },
];
