import { defineAsyncComponent } from "vue";

import type { AccountSection } from "@/features/accounts/sections";

export const parts: AccountSection[] = [
  { tab: "sign-in", place: 2, part: defineAsyncComponent(() => import("./SignInMethodsSection.vue")) },
];
