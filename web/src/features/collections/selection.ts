import { ref } from "vue";

import { toggleSelected } from "./rules";

/** Selection mode for a game list; the selection is null outside of it. */
export function useSelection(order: () => readonly string[]) {
  const chosen = ref<ReadonlySet<string> | null>(null);
  let before: string | null = null;

  function begin(): void {
    chosen.value = new Set();
    before = null;
  }

  function end(): void {
    chosen.value = null;
  }

  function tick(id: string, { through }: { through: boolean }): void {
    chosen.value = toggleSelected(chosen.value ?? new Set(), order(), id, { through: through ? before : null });
    before = id;
  }

  function tickAll(): void {
    chosen.value = chosen.value?.size === order().length ? new Set() : new Set(order());
  }

  return { chosen, begin, end, tick, tickAll };
}
