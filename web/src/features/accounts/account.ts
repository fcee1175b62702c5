import { defineAsyncComponent } from "vue";

import type { AccountPart } from "./parts";

export const parts: AccountPart[] = [
  { tab: "profile", place: 1, part: defineAsyncComponent(() => import("./PicturePart.vue")) },
  { tab: "profile", place: 2, part: defineAsyncComponent(() => import("./ProfilePart.vue")) },
  { tab: "sign-in", place: 1, part: defineAsyncComponent(() => import("./PasswordPart.vue")) },
];
