import { defineAsyncComponent } from "vue";

import type { AccountSection } from "@/features/accounts/sections";

export const parts: AccountSection[] = [
  { tab: "notifications", place: 1, part: defineAsyncComponent(() => import("./NotificationsSection.vue")) },
];
