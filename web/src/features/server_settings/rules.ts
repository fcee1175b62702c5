import type { SettingResponse } from "@/api";

export type Draft = Record<string, string>;

/** What can be tested in a section. */
export const TARGETS = {
  metadata: ["IGDB", "GiantBomb", "SteamGridDB"],
  openid: ["OpenID"],
  email: ["Email"],
} as const;
export type Target = (typeof TARGETS)[keyof typeof TARGETS][number];

/** The settings of the page by section, in the order of the service. */
export function bySection(settings: readonly SettingResponse[]): Map<string, SettingResponse[]> {
  const sections = new Map<string, SettingResponse[]>();
  for (const setting of settings) sections.set(setting.section, [...(sections.get(setting.section) ?? []), setting]);
  return sections;
}

/** The values of a form. A secret is empty until somebody types another one. */
export function draftOf(settings: readonly SettingResponse[]): Draft {
  return Object.fromEntries(settings.map(({ name, value }) => [name, value ?? ""]));
}

/** The values of a form after others have been saved elsewhere. What somebody has changed here is kept. */
export function refreshed(
  draft: Draft,
  { before, saved }: { before: readonly SettingResponse[]; saved: readonly SettingResponse[] },
): Draft {
  const [was, now] = [draftOf(before), draftOf(saved)];
  return Object.fromEntries(
    Object.entries(now).map(([name, value]) => [name, draft[name] === was[name] ? value : (draft[name] ?? value)]),
  );
}

/** The values that differ from the saved ones; null for the default. An untouched secret is unchanged. */
export function changesOf(
  settings: readonly SettingResponse[],
  draft: Draft,
  removed: ReadonlySet<string>,
): Record<string, string | null> {
  return Object.fromEntries(
    settings
      .filter(({ fixedBy }) => !fixedBy)
      .map((setting) => [setting.name, changeOf(setting, (draft[setting.name] ?? "").trim(), removed)] as const)
      .filter((change): change is [string, string | null] => change[1] !== undefined),
  );
}

/** Which values a list contains, whatever its letters; an empty one stands for all of them. */
export function chosenOf(text: string, choices: readonly string[]): ReadonlySet<string> {
  const named = new Set(text.split(",").map((name) => name.trim().toLowerCase()));
  const isEmpty = !text.replace(/[ ,]/g, "");
  return new Set(choices.filter((choice) => isEmpty || named.has(choice.toLowerCase())));
}

/** The list of some values. */
export function textOfChosen(chosen: readonly string[], choices: readonly string[]): string {
  if (chosen.length === choices.length) return "";
  return chosen.length ? chosen.join(",") : "none";
}

function changeOf(setting: SettingResponse, text: string, removed: ReadonlySet<string>): string | null | undefined {
  if (setting.kind === "secret") return text || (removed.has(setting.name) ? null : undefined);
  if (text === (setting.value ?? "")) return undefined;
  return text === "" || text === setting.default ? null : text;
}
