import { ref } from "vue";

export const SCHEMES = ["system", "light", "dark"] as const;
/** The color scheme: dark, light, or the system's. `public/theme.js` applies it before the first paint. */
export type Scheme = (typeof SCHEMES)[number];

export const scheme = ref<Scheme>((document.documentElement.dataset.scheme as Scheme | undefined) ?? "system");

export function chooseScheme(chosen: Scheme): void {
  scheme.value = chosen;
  if (chosen === "system") {
    localStorage.removeItem("scheme");
    delete document.documentElement.dataset.scheme;
    return;
  }
  localStorage.setItem("scheme", chosen);
  document.documentElement.dataset.scheme = chosen;
}
