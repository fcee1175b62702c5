import type { Component } from "vue";

/** The tabs of the account's page; the names stand in its address. */
export const TABS = ["profile", "sign-in", "devices", "tokens", "downloads"] as const;
export type Tab = (typeof TABS)[number];

/** Something on the account's page. Every feature says in its `account.ts` what of it belongs there, and where. */
export interface AccountPart {
  tab: Tab;
  /** Parts of one tab stand below each other by this number. */
  place: number;
  part: Component;
}
