import { useEventListener } from "@vueuse/core";
import { ref } from "vue";

export const paletteOpen = ref(false);

export function openPalette(): void {
  paletteOpen.value = true;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

function isBusyElsewhere(): boolean {
  return !paletteOpen.value && document.querySelector("[role=dialog], [role=alertdialog]") !== null;
}

/** `/` opens the palette outside of text fields, Ctrl+K everywhere, except over a dialog. */
export function usePaletteKeys(): void {
  useEventListener(window, "keydown", (event) => {
    const held = event.ctrlKey || event.metaKey;
    const slash = event.key === "/" && !held && !event.altKey && !isTyping(event.target);
    const controlK = event.key.toLowerCase() === "k" && held;
    if ((!slash && !controlK) || isBusyElsewhere()) return;
    event.preventDefault();
    openPalette();
  });
}
