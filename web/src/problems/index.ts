import { useI18n } from "vue-i18n";

import { isProblem, type Problem, Unreachable, waitOf } from "@/api";
import { formatWait } from "@/kit/format";
import { tell } from "@/kit/notices";

/** What went wrong, for a person: one sentence, and for each field its own. */
export interface Message {
  text: string;
  fields: Record<string, string>;
  requestId?: string;
}

/** The one place where failures become sentences, in the language of the pages where it has them. */
export function useProblems() {
  const { t, te, locale } = useI18n();

  function sentenceOf(problem: Problem): string {
    const key = `problems.types.${problem.type}`;
    if (!te(key)) return problem.detail;
    const faults = (problem.errors ?? []).map((fault) => fault.detail).join(" ");
    return t(key, { wait: formatWait(waitOf(problem), locale.value), faults });
  }

  function explain(error: unknown): Message {
    if (error instanceof Unreachable) return { text: t("problems.unreachable"), fields: {} };
    if (!isProblem(error)) return { text: t("problems.unexpected"), fields: {} };
    const fields = Object.fromEntries((error.errors ?? []).map((fault) => [fault.field, fault.detail]));
    return { text: sentenceOf(error), fields, ...(error.status >= 500 && { requestId: error.requestId }) };
  }

  function tellOf(error: unknown): void {
    tell(explain(error).text, { tone: "bad" });
  }

  return { explain, tellOf };
}
