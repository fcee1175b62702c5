import type { Platform, VersionResponse } from "@/api";
import { withBase } from "@/api/basePath";

/** Return whether a browser is on a phone or tablet, on which games are not installed. */
export function isPhone(agent: string): boolean {
  return /Android|iPhone|iPad|iPod/.test(agent);
}

/** The platform of the visitor's browser; Windows if unknown, or if it is a phone. */
export function platformOf(agent: string): Platform {
  if (isPhone(agent)) return "Windows";
  if (/Mac OS X|Macintosh/.test(agent)) return "macOS";
  if (/Linux|X11|CrOS/.test(agent)) return "Linux";
  return "Windows";
}

/** The versions of a game, newest first; the service lists them oldest first. */
export function newestFirst(versions: readonly VersionResponse[]): VersionResponse[] {
  return [...versions].reverse();
}

/** On Linux, Windows games come second: the client can run them. */
function suiting(platform: Platform): Platform[] {
  return platform === "Linux" ? ["Linux", "Windows"] : [platform];
}

/** The most suitable version for a platform: its newest undamaged one, or else the newest. */
export function chosenVersion(versions: readonly VersionResponse[], platform: Platform): VersionResponse | undefined {
  const candidates = newestFirst(versions);
  const ours = suiting(platform)
    .map((each) => candidates.filter((version) => version.platform === each))
    .find((found) => found.length);
  const among = ours ?? candidates;
  return among.find((version) => !version.damaged) ?? among[0];
}

/** The version that players update from: the previous one for the same platform. */
export function versionBefore(
  versions: readonly VersionResponse[],
  version: VersionResponse,
): VersionResponse | undefined {
  const sameKind = newestFirst(versions).filter((each) => each.platform === version.platform);
  return sameKind[sameKind.findIndex((each) => each.id === version.id) + 1];
}

/** Return whether a name is literal between double quotes in all common shells. */
function isQuotable(name: string): boolean {
  return !/["$`\\%!^\n]/.test(name) && !name.startsWith("-");
}

function word(name: string): string {
  return /^[\w.]+$/.test(name) ? name : `"${name}"`;
}

/** The client command that installs a game, or one version of it. */
export function installCommand(game: { id: string; name: string }, version?: { id: string; name: string }): string {
  const named = isQuotable(game.name) ? word(game.name) : game.id;
  if (!version) return `playdock-client install ${named}`;
  return `playdock-client install ${named} --version ${isQuotable(version.name) ? word(version.name) : version.id}`;
}

/** The address of a version's archive. */
export function archiveUrl(version: { id: string }): string {
  return withBase(`/api/v1/versions/${version.id}/archive.zip`);
}
