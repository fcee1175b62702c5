import { useSessionStorage } from "@vueuse/core";

import type { ChosenRow, ChosenVersion } from "@/api";

import { type Known, metadataOf } from "./choices";

/** What somebody decided of a folder; what is left out stays as it is proposed. No metadata is `null`. */
export interface Decision {
  game?: Known | null;
  versions?: readonly ChosenVersion[];
}

interface Row {
  id: string;
}

/** What is sent to import a row of the plan. */
export function choiceOf({ id }: Row, decision: Decision | undefined): ChosenRow {
  return {
    id,
    ...(decision?.game !== undefined && { metadata: decision.game && metadataOf(decision.game) }),
    ...(decision?.versions && { versions: [...decision.versions] }),
  };
}

const decisions = useSessionStorage<Record<string, Decision>>("import-decisions", {});

/** What was decided of rows of the plan, by their ids; kept as long as the browser's tab is open. */
export function useDecisions() {
  function decide({ id }: Row, decision: Decision): void {
    decisions.value = { ...decisions.value, [id]: { ...decisions.value[id], ...decision } };
  }
  return { decisions, decide };
}
