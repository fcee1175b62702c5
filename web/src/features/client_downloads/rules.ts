import type { ClientDownloadResponse } from "@/api";
import { withBase } from "@/api/basePath";

/** What a visitor has: a computer on which the client runs, or a phone or tablet. */
export const SYSTEMS = ["Windows", "Linux", "SteamDeck", "macOS", "phone"] as const;
export type VisitorSystem = (typeof SYSTEMS)[number];
/** How the client is installed: by a setup program, from an archive, or as a package for Python. */
export type Way = "setup" | "archive" | "deck" | "package";
/** The drawings of the steps. */
export type Picture = "file" | "warning" | "folder" | "install" | "terminal" | "app";

export interface Browser {
  userAgent: string;
  maxTouchPoints: number;
  screen: { width: number; height: number };
}

/** The system of the visitor's browser; Windows if it is unknown. */
export function systemOf({ userAgent, maxTouchPoints, screen }: Browser): VisitorSystem {
  if (/Android|iPhone|iPad|iPod|Mobile/.test(userAgent)) return "phone";
  // An iPad pretends to be a Mac, but no Mac has a touch screen.
  if (/Mac OS X|Macintosh/.test(userAgent)) return maxTouchPoints > 1 ? "phone" : "macOS";
  if (/Linux|X11/.test(userAgent)) return isDeck({ userAgent, maxTouchPoints, screen }) ? "SteamDeck" : "Linux";
  return "Windows";
}

/** Browsers do not name the Steam Deck, but its touch screen has 1280 × 800 pixels. */
function isDeck({ userAgent, maxTouchPoints, screen }: Browser): boolean {
  if (/Valve Steam|SteamOS/.test(userAgent)) return true;
  const [short, long] = [screen.width, screen.height].sort((one, other) => one - other);
  return maxTouchPoints > 0 && short === 800 && long === 1280;
}

export interface Offer {
  way: Way;
  download: ClientDownloadResponse;
}

/** How the client is installed on a system; the package for Python if there is nothing else, undefined without it. */
export function offerFor(
  system: Exclude<VisitorSystem, "phone">,
  downloads: readonly ClientDownloadResponse[],
): Offer | undefined {
  const find = (wanted: string) => downloads.find((each) => each.system === wanted);
  const own = system === "Windows" ? find("Windows") : system === "macOS" ? undefined : find("Linux");
  if (own) return { way: system === "Windows" ? "setup" : system === "SteamDeck" ? "deck" : "archive", download: own };
  const package_ = find("Any");
  return package_ && { way: "package", download: package_ };
}

const PICTURES: Record<Way, readonly Picture[]> = {
  setup: ["file", "warning", "app"],
  archive: ["folder", "install", "app"],
  deck: ["folder", "install", "app"],
  package: ["terminal", "terminal", "app"],
};

/** The drawings of the three steps. */
export function picturesOf(way: Way): readonly Picture[] {
  return PICTURES[way];
}

/** The address of a file. */
export function fileUrl({ name }: { name: string }): string {
  return withBase(`/api/v1/client-downloads/${encodeURIComponent(name)}`);
}

/** The commands that install the package for Python and start the client. */
export function packageCommands(download: { name: string }, origin: string, base: string): string[] {
  return [`uv tool install ${origin}${fileUrl(download)}`, `playdock-client app ${origin}${base}`];
}
