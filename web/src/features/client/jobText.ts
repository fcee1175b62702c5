import { useI18n } from "vue-i18n";

import type { AgentProblem, AgentState, Job } from "@/api/agent";
import { formatWait, useFormat, useRegionalLocale } from "@/kit/format";

/** Describes jobs in words. */
export function useJobText() {
  const { t, te } = useI18n();
  const { bytes } = useFormat();
  const locale = useRegionalLocale();

  function problem({ code, detail }: AgentProblem): string {
    const key = `client.problems.${code}`;
    return te(key) ? t(key) : detail;
  }

  /** The progress of a running job: bytes, rate and remaining time. */
  function progress({ progress: now }: Job): string {
    if (!now) return "";
    const done = now.total
      ? t("client.bytesOf", { done: bytes(now.done), total: bytes(now.total) })
      : t(`client.phases.${now.phase}`);
    const speed = now.speed ? [t("client.rate", { rate: bytes(now.speed) })] : [];
    const left = now.left === null ? [] : [t("client.left", { time: formatWait(now.left, locale.value) })];
    return [done, ...speed, ...left].join(" · ");
  }

  /** The state of a job in a sentence or a few words. */
  function status(job: Job, state: AgentState): string {
    if (job.state === "running") return progress(job);
    if (job.state === "failed" && job.problem) return problem(job.problem);
    if (job.state === "waiting" && state.hold) return t(`client.holds.${state.hold}`);
    if (job.checked) {
      const count = job.checked.missing + job.checked.damaged;
      return t("client.checked", { count }, count);
    }
    return t(`client.states.${job.state}`);
  }

  return { problem, progress, status };
}
