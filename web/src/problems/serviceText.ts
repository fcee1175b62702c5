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

  /** The parameters of a sentence as texts and numbers. */
  function textsOf(parameters: ServiceMessage["parameters"]): Record<string, string | number> {
    return Object.fromEntries(Object.entries(parameters ?? {}).map(([name, value]) => [name, valueOf(value)]));
  }

  function textOf({ text, code, parameters }: ServiceMessage): string {
    const key = [`problems.service.${code}`, `problems.types.${code}`].find((known) => te(known));
    if (!code || !key) return text;
    const named = textsOf(parameters);
    return t(key, named, typeof named.count === "number" ? named.count : 1);
  }

  /** The title of a failed task; the service has it in English only, and its words are the code. */
  function titleOf(title: string): string {
    const key = `problems.titles.${title.toLowerCase().replaceAll(" ", "-")}`;
    return te(key) ? t(key) : title;
  }

  return { textOf, textsOf, titleOf };
}
