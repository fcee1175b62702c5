import { useI18n } from "vue-i18n";

import { isProblem, type Problem, NetworkError, RequestCancelled, retryAfterOf } from "@/api";
import { formatWait, useRegionalLocale } from "@/kit/format";
import { toast } from "@/kit/toasts";

import { useServiceText } from "./serviceText";

/** An error as text, with a text for each invalid field. */
export interface Message {
  text: string;
  fields: Record<string, string>;
  requestId?: string;
}

/** Converts errors to text, in the page's language where it is translated. */
export function useErrorMessages() {
  const { t, te } = useI18n();
  const locale = useRegionalLocale();
  const { textOf, textsOf } = useServiceText();

  function fieldErrorsOf(problem: Problem): [field: string, text: string][] {
    return (problem.errors ?? []).map(({ field, detail, code, parameters }) => [
      field,
      textOf({ text: detail, code, parameters }),
    ]);
  }

  function messageOf(problem: Problem): string {
    const key = `problems.types.${problem.type}`;
    if (!te(key)) return problem.detail;
    const texts = fieldErrorsOf(problem).map(([, text]) => text);
    const count = problem.moreErrors ?? 0;
    if (count) texts.push(textOf({ text: "", code: "more-errors", parameters: { count } }));
    const faults = texts.join(" ");
    return t(key, { wait: formatWait(retryAfterOf(problem), locale.value), faults, ...textsOf(problem.parameters) });
  }

  function describeError(error: unknown): Message {
    if (error instanceof NetworkError) return { text: t("problems.unreachable"), fields: {} };
    if (!isProblem(error)) return { text: t("problems.unexpected"), fields: {} };
    const fields = Object.fromEntries(fieldErrorsOf(error));
    return { text: messageOf(error), fields, ...(error.status >= 500 && { requestId: error.requestId }) };
  }

  function toastError(error: unknown): void {
    if (error instanceof RequestCancelled) return;
    toast(describeError(error).text, { tone: "bad" });
  }

  return { describeError, toastError };
}
