import { useIntervalFn } from "@vueuse/core";
import { computed, type ComputedRef, shallowRef } from "vue";

/** How far a task was at a moment (milliseconds). */
export interface Mark {
  at: number;
  progress: number;
}

const MOST_MARKS = 60;
const FEWEST_MARKS = 5;

/** Percent a second from each mark to the next. */
export function speedsOf(marks: readonly Mark[]): number[] {
  return marks.slice(1).map((mark, index) => speed(marks[index] ?? mark, mark));
}

function speed(from: Mark, to: Mark): number {
  const seconds = (to.at - from.at) / 1000;
  return seconds > 0 ? Math.max(0, (to.progress - from.progress) / seconds) : 0;
}

/** Seconds until the end if it goes on like this; null while nobody can tell. */
export function secondsLeft(marks: readonly Mark[]): number | null {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last || marks.length < FEWEST_MARKS) return null;
  const mean = speed(first, last);
  return mean > 0 ? (100 - last.progress) / mean : null;
}

/** Look every second how far something is, as long as it goes on. */
export function usePace(progress: () => number, goesOn: () => boolean) {
  const marks = shallowRef<readonly Mark[]>([]);
  useIntervalFn(() => {
    if (goesOn()) marks.value = [...marks.value.slice(1 - MOST_MARKS), { at: Date.now(), progress: progress() }];
  }, 1_000);
  const speeds: ComputedRef<number[]> = computed(() => speedsOf(marks.value));
  return { speeds, left: computed(() => secondsLeft(marks.value)) };
}
