import { useIntervalFn } from "@vueuse/core";
import { computed, type ComputedRef, shallowRef } from "vue";

/** The progress of a task at a time in milliseconds. */
export interface ProgressSample {
  at: number;
  progress: number;
}

const MAX_SAMPLES = 60;
const FEWEST_MARKS = 5;

/** The speed in percent per second between consecutive samples. */
export function speedsOf(marks: readonly ProgressSample[]): number[] {
  return marks.slice(1).map((mark, index) => speed(marks[index] ?? mark, mark));
}

function speed(from: ProgressSample, to: ProgressSample): number {
  const seconds = (to.at - from.at) / 1000;
  return seconds > 0 ? Math.max(0, (to.progress - from.progress) / seconds) : 0;
}

/** The estimated seconds until the end; null if unknown. */
export function secondsLeft(marks: readonly ProgressSample[]): number | null {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last || marks.length < FEWEST_MARKS) return null;
  const mean = speed(first, last);
  return mean > 0 ? (100 - last.progress) / mean : null;
}

/** Sample the progress every second while the task is running. */
export function useSpeed(progress: () => number, goesOn: () => boolean) {
  const marks = shallowRef<readonly ProgressSample[]>([]);
  useIntervalFn(() => {
    if (goesOn()) marks.value = [...marks.value.slice(1 - MAX_SAMPLES), { at: Date.now(), progress: progress() }];
  }, 1_000);
  const speeds: ComputedRef<number[]> = computed(() => speedsOf(marks.value));
  return { speeds, left: computed(() => secondsLeft(marks.value)) };
}
