import { defineAsyncComponent } from "vue";

import type { AccountSection } from "@/features/accounts/sections";

export const parts: AccountSection[] = [
  { tab: "notifications", place: 5, part: defineAsyncComponent(() => import("./FeedSection.vue")) },
];
