import { ref } from "vue";

import { ticked } from "./rules";

/** Several games at once: null while nobody chooses. */
export function useChoice(order: () => readonly string[]) {
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
    chosen.value = ticked(chosen.value ?? new Set(), order(), id, { through: through ? before : null });
    before = id;
  }

  function tickAll(): void {
    chosen.value = chosen.value?.size === order().length ? new Set() : new Set(order());
  }

  return { chosen, begin, end, tick, tickAll };
}
