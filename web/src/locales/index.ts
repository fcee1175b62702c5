import { createI18n } from "vue-i18n";

/** The languages of the pages, as they call themselves. Each feature keeps its sentences in `locales/`. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

const loaders: Record<Language, () => Promise<{ default: Record<string, unknown> }>> = {
  en: () => import("./en"),
  de: () => import("./de"),
};

export const i18n = createI18n({ legacy: false, locale: "en", fallbackLocale: "en", messages: {}, missingWarn: false });

function isLanguage(name: string | null | undefined): name is Language {
  return name === "en" || name === "de";
}

/** What was chosen here before, or else the first language of the browser's that we speak. */
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
