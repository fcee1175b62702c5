import { ref } from "vue";

/**
 * Big mode: larger type, for gamepads and televisions. The app marks the document of windows that begin in it, and
 * browsers of televisions begin in it. A window keeps what its player chose (`sessionStorage`). `public/theme.js`
 * applies it before the first paint.
 */
export const isBig = ref("big" in document.documentElement.dataset);

export function toggleBig(): void {
  isBig.value = !isBig.value;
  sessionStorage.setItem("mode", isBig.value ? "big" : "1");
  document.documentElement.toggleAttribute("data-big", isBig.value);
  // Refused after a gamepad's button, which does not count as an action of the player.
  const changed = isBig.value ? document.documentElement.requestFullscreen() : document.exitFullscreen();
  changed.catch(() => undefined);
}
