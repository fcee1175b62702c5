import { createI18n } from "vue-i18n";

import { withFormattedNumbers } from "./numbers";
import { regionalLocale } from "./region";

/** The languages of the pages with their own names. Each feature has its messages in `locales/`. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

const loaders: Record<Language, () => Promise<{ default: Record<string, unknown> }>> = {
  en: () => import("./en"),
  de: () => import("./de"),
};

export const i18n = createI18n({ legacy: false, locale: "en", fallbackLocale: "en", messages: {}, missingWarn: false });

type Translate = (key: string, ...args: unknown[]) => string;

// Numbers in messages are formatted for the reader's region, such as 1,234. This applies to `useI18n` and `$t` as well.
const translate = i18n.global.t as Translate;
i18n.global.t = ((key: string, ...args: unknown[]) => {
  const format = (value: number) => value.toLocaleString(regionalLocale(i18n.global.locale.value));
  return translate(key, ...withFormattedNumbers(args, format));
}) as typeof i18n.global.t;

function isLanguage(name: string | null | undefined): name is Language {
  return name === "en" || name === "de";
}

/** The language chosen before, or else the browser's first supported one. */
export function preferredLanguage(): Language {
  const names = [localStorage.getItem("language"), ...navigator.languages.map((name) => name.slice(0, 2))];
  return names.find(isLanguage) ?? "en";
}

export async function speak(language: Language): Promise<void> {
  const messages = (await loaders[language]()).default;
  i18n.global.setLocaleMessage(language, messages as never);
  i18n.global.locale.value = language as never;
  document.documentElement.lang = language;
}

export async function choose(language: Language): Promise<void> {
  localStorage.setItem("language", language);
  await speak(language);
}
