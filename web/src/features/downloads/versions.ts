import type { Platform, VersionAnswer } from "@/api";

/** What a browser says its machine runs; Windows where it says nothing that we know. */
export function platformOf(agent: string): Platform {
  if (/Mac OS X|Macintosh/.test(agent)) return "macOS";
  if (/Linux|X11|CrOS/.test(agent)) return "Linux";
  return "Windows";
}

/** The versions of a game, newest first; the service lists them oldest first. */
export function newestFirst(versions: readonly VersionAnswer[]): VersionAnswer[] {
  return [...versions].reverse();
}

/** On Linux, games for Windows are the next best: the client knows how to start them. */
function suiting(platform: Platform): Platform[] {
  return platform === "Linux" ? ["Linux", "Windows"] : [platform];
}

/** The version that somebody at a machine most likely wants: the newest for it that is whole, or else the newest. */
export function chosenVersion(versions: readonly VersionAnswer[], platform: Platform): VersionAnswer | undefined {
  const candidates = newestFirst(versions);
  const ours = suiting(platform)
    .map((each) => candidates.filter((version) => version.platform === each))
    .find((found) => found.length);
  const among = ours ?? candidates;
  return among.find((version) => !version.damaged) ?? among[0];
}

/** The version that players of another one come from: the one before it for the same platform. */
export function versionBefore(versions: readonly VersionAnswer[], version: VersionAnswer): VersionAnswer | undefined {
  const sameKind = newestFirst(versions).filter((each) => each.platform === version.platform);
  return sameKind[sameKind.findIndex((each) => each.id === version.id) + 1];
}

/** Whether a name means itself between double quotes in every shell that players have. */
function isQuotable(name: string): boolean {
  return !/["$`\\%!^\n]/.test(name) && !name.startsWith("-");
}

function word(name: string): string {
  return /^[\w.]+$/.test(name) ? name : `"${name}"`;
}

/** The client's command that installs a game, or one version of it. */
export function installCommand(game: { id: string; name: string }, version?: { id: string; name: string }): string {
  const named = isQuotable(game.name) ? word(game.name) : game.id;
  if (!version) return `playdock-client install ${named}`;
  return `playdock-client install ${named} --version ${isQuotable(version.name) ? word(version.name) : version.id}`;
}

/** Where a version is to be had as one archive. */
export function archiveUrl(version: { id: string }): string {
  return `/api/v1/versions/${version.id}/archive.zip`;
}
