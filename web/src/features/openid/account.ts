import { defineAsyncComponent } from "vue";

import type { AccountPart } from "@/features/accounts/parts";

export const parts: AccountPart[] = [
  { tab: "sign-in", place: 2, part: defineAsyncComponent(() => import("./MechanismsPart.vue")) },
];
