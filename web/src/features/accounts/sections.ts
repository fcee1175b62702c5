import type { Component } from "vue";

/** The tabs of the account page; their names are part of its address. */
export const TABS = ["profile", "sign-in", "devices", "notifications", "tokens", "downloads"] as const;
export type Tab = (typeof TABS)[number];

/** A section of the account page. Features register theirs in `account.ts`. */
export interface AccountSection {
  tab: Tab;
  /** The position within the tab. */
  place: number;
  part: Component;
}
