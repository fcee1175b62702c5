import { defineAsyncComponent } from "vue";

import type { AccountSection } from "@/features/accounts/sections";

export const parts: AccountSection[] = [
  { tab: "downloads", place: 1, part: defineAsyncComponent(() => import("./LimitsSection.vue")) },
  { tab: "downloads", place: 2, part: defineAsyncComponent(() => import("./LinksSection.vue")) },
];
