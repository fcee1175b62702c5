import {
  Activity,
  Building2,
  Download,
  FolderOpen,
  Gamepad2,
  Gift,
  Heart,
  LayoutDashboard,
  Library,
  MailPlus,
  Monitor,
  MonitorDown,
  Newspaper,
  ScrollText,
  Settings2,
  ShieldAlert,
  Store,
  Tags,
  Trash2,
  Upload,
  UserRound,
  Users,
  Webhook,
} from "@lucide/vue";
import type { Component } from "vue";

/** An item of navigation and palette; `name` is part of its message key. */
export interface NavigationItem {
  name: string;
  path: string;
  icon: Component;
}

export const MAIN_NAVIGATION: readonly NavigationItem[] = [
  { name: "store", path: "/", icon: Store },
  { name: "games", path: "/store", icon: Gamepad2 },
  { name: "library", path: "/library", icon: Library },
  { name: "collections", path: "/collections", icon: Heart },
];

export const ACCOUNT_NAVIGATION: readonly NavigationItem[] = [
  { name: "news", path: "/news", icon: Newspaper },
  { name: "requests", path: "/requests", icon: Gift },
  { name: "account", path: "/account", icon: UserRound },
  { name: "client", path: "/client", icon: MonitorDown },
  { name: "device", path: "/device", icon: Monitor },
];

export const ADMIN_NAVIGATION: readonly NavigationItem[] = [
  { name: "dashboard", path: "/admin", icon: LayoutDashboard },
  { name: "import", path: "/admin/import", icon: Download },
  { name: "adminGames", path: "/admin/games", icon: Gamepad2 },
  { name: "libraries", path: "/admin/libraries", icon: FolderOpen },
  { name: "uploads", path: "/admin/uploads", icon: Upload },
  { name: "trash", path: "/admin/trash", icon: Trash2 },
  { name: "users", path: "/admin/users", icon: Users },
  { name: "invitations", path: "/admin/invitations", icon: MailPlus },
  { name: "settings", path: "/admin/settings", icon: Settings2 },
  { name: "tasks", path: "/admin/tasks", icon: Activity },
  { name: "damage", path: "/admin/damage", icon: ShieldAlert },
  { name: "webhooks", path: "/admin/webhooks", icon: Webhook },
  { name: "tags", path: "/admin/tags", icon: Tags },
  { name: "companies", path: "/admin/companies", icon: Building2 },
  { name: "auditLog", path: "/admin/audit", icon: ScrollText },
];
