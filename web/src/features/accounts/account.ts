import { defineAsyncComponent } from "vue";

import type { AccountSection } from "./sections";

export const parts: AccountSection[] = [
  { tab: "profile", place: 1, part: defineAsyncComponent(() => import("./PictureSection.vue")) },
  { tab: "profile", place: 2, part: defineAsyncComponent(() => import("./ProfileSection.vue")) },
  { tab: "profile", place: 3, part: defineAsyncComponent(() => import("./ExportSection.vue")) },
  { tab: "sign-in", place: 1, part: defineAsyncComponent(() => import("./PasswordSection.vue")) },
];
