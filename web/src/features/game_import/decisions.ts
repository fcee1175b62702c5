import { useSessionStorage } from "@vueuse/core";

import type { SelectedRow, SelectedVersion } from "@/api";

import { type GameMatch, metadataOf } from "./matches";

/** A decision about a folder; missing fields stay as proposed. `null` means no metadata. */
export interface ApprovalForm {
  game?: GameMatch | null;
  versions?: readonly SelectedVersion[];
}

interface Row {
  id: string;
}

/** The request that imports a row of the plan. */
export function choiceOf({ id }: Row, decision: ApprovalForm | undefined): SelectedRow {
  return {
    id,
    ...(decision?.game !== undefined && { metadata: decision.game && metadataOf(decision.game) }),
    ...(decision?.versions && { versions: [...decision.versions] }),
  };
}

const decisions = useSessionStorage<Record<string, ApprovalForm>>("import-decisions", {});

/** Decisions about rows of the plan by id; kept as long as the tab is open. */
export function useDecisions() {
  function decide({ id }: Row, decision: ApprovalForm): void {
    decisions.value = { ...decisions.value, [id]: { ...decisions.value[id], ...decision } };
  }
  return { decisions, decide };
}
