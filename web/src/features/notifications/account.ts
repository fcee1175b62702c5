import { defineAsyncComponent } from "vue";

import type { AccountSection } from "@/features/accounts/sections";

export const parts: AccountSection[] = [
  { tab: "notifications", place: 1, part: defineAsyncComponent(() => import("./PreferencesSection.vue")) },
  { tab: "notifications", place: 2, part: defineAsyncComponent(() => import("./DeliverySection.vue")) },
];
