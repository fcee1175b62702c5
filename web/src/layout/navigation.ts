import {
  Activity,
  Building2,
  Download,
  FolderOpen,
  Gamepad2,
  Heart,
  LayoutDashboard,
  Library,
  MailPlus,
  Monitor,
  ShieldAlert,
  Store,
  Tags,
  UserRound,
  Users,
} from "@lucide/vue";
import type { Component } from "vue";

/** A place that navigation and palette lead to; `name` is its key in the sentences. */
export interface Place {
  name: string;
  path: string;
  icon: Component;
}

export const PLACES: readonly Place[] = [
  { name: "store", path: "/", icon: Store },
  { name: "games", path: "/store", icon: Gamepad2 },
  { name: "library", path: "/library", icon: Library },
  { name: "collections", path: "/collections", icon: Heart },
];

export const OWN_PLACES: readonly Place[] = [
  { name: "account", path: "/account", icon: UserRound },
  { name: "device", path: "/device", icon: Monitor },
];

export const ADMIN_PLACES: readonly Place[] = [
  { name: "dashboard", path: "/admin", icon: LayoutDashboard },
  { name: "import", path: "/admin/import", icon: Download },
  { name: "adminGames", path: "/admin/games", icon: Gamepad2 },
  { name: "libraries", path: "/admin/libraries", icon: FolderOpen },
  { name: "users", path: "/admin/users", icon: Users },
  { name: "invitations", path: "/admin/invitations", icon: MailPlus },
  { name: "tasks", path: "/admin/tasks", icon: Activity },
  { name: "damage", path: "/admin/damage", icon: ShieldAlert },
  { name: "tags", path: "/admin/tags", icon: Tags },
  { name: "companies", path: "/admin/companies", icon: Building2 },
];
