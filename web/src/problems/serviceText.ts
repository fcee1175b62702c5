import { useI18n } from "vue-i18n";

/** A sentence of the service: English, with a code and parameters if it can be translated. */
export interface ServiceMessage {
  text: string;
  code: string | null | undefined;
  parameters: Readonly<Record<string, unknown>> | null | undefined;
}

function isMessage(value: unknown): value is ServiceMessage {
  return typeof value === "object" && value !== null && "text" in value && "code" in value;
}

/** Translates sentences of the service; without a translation they are shown in English. */
export function useServiceText() {
  const { t, te } = useI18n();

  function valueOf(parameter: unknown): string | number {
    if (Array.isArray(parameter)) return parameter.map(valueOf).join(" ");
    if (isMessage(parameter)) return textOf(parameter);
    return typeof parameter === "number" ? parameter : String(parameter);
  }

  function textOf({ text, code, parameters }: ServiceMessage): string {
    if (!code) return text;
    if (!te(`problems.service.${code}`)) return te(`problems.types.${code}`) ? t(`problems.types.${code}`) : text;
    const named = Object.fromEntries(Object.entries(parameters ?? {}).map(([name, value]) => [name, valueOf(value)]));
    return t(`problems.service.${code}`, named, typeof named.count === "number" ? named.count : 1);
  }

  /** The title of a failed task; the service has it in English only, and its words are the code. */
  function titleOf(title: string): string {
    const key = `problems.titles.${title.toLowerCase().replaceAll(" ", "-")}`;
    return te(key) ? t(key) : title;
  }

  return { textOf, titleOf };
}
