import { useEventListener, useRafFn } from "@vueuse/core";

import type { Direction } from "./spatial";

export type Command = Direction | "select" | "back" | "search" | "menu" | "previous" | "next";

/** What is read of a gamepad, in the standard layout of the W3C specification "Gamepad". */
export interface Pad {
  buttons: readonly { pressed: boolean }[];
  axes: readonly number[];
}

const BUTTONS: readonly (readonly [number, Command])[] = [
  [0, "select"],
  [1, "back"],
  [3, "search"],
  [4, "previous"],
  [5, "next"],
  [9, "menu"],
  [12, "up"],
  [13, "down"],
  [14, "left"],
  [15, "right"],
];
const REPEATED: ReadonlySet<Command> = new Set(["up", "down", "left", "right"]);
// Worn sticks rest off their center, so half of the way counts for a step and a fifth for scrolling.
const STICK_STEP = 0.5;
const STICK_REST = 0.2;
// As keyboards repeat, a little slower: a hand on a stick is less precise.
const REPEAT_AFTER_MS = 400;
const REPEAT_MS = 130;
// A screen in about half a second, at 60 frames per second.
const SCROLL_PIXELS = 28;

/** The commands of all buttons that are held, and of the left stick. */
export function heldCommands(pads: readonly Pad[]): Set<Command> {
  const held = new Set<Command>();
  for (const { buttons, axes } of pads) {
    for (const [button, command] of BUTTONS) if (buttons[button]?.pressed) held.add(command);
    const [x = 0, y = 0] = axes;
    if (Math.max(Math.abs(x), Math.abs(y)) < STICK_STEP) continue;
    if (Math.abs(x) > Math.abs(y)) held.add(x < 0 ? "left" : "right");
    else held.add(y < 0 ? "up" : "down");
  }
  return held;
}

/** Returns a function from what is held now to the commands to run: new ones, and directions repeatedly. */
export function repeater(): (held: ReadonlySet<Command>, now: number) => Command[] {
  // What is held at the beginning belongs to what was before, such as a game.
  let due: Map<Command, number> | null = null;
  return (held, now) => {
    const before = due;
    due = new Map();
    const commands: Command[] = [];
    for (const command of held) {
      const at = before ? (before.get(command) ?? now) : Infinity;
      const isDue = at <= now;
      if (isDue) commands.push(command);
      const wait = before?.has(command) ? REPEAT_MS : REPEAT_AFTER_MS;
      due.set(command, !isDue ? at : REPEATED.has(command) ? now + wait : Infinity);
    }
    return commands;
  };
}

/** Read gamepads while one is connected and the window has the focus; `scroll` gets the pixels of the right stick. */
export function useGamepads(run: (command: Command) => void, scroll: (pixels: number) => void): void {
  let repeat = repeater();
  const { pause, resume } = useRafFn(
    () => {
      const pads = connectedPads();
      if (!pads.length) return pause();
      // Gamepads are read in the background too, but there a game has them.
      if (!document.hasFocus()) {
        repeat = repeater();
        return;
      }
      for (const command of repeat(heldCommands(pads), performance.now())) run(command);
      const tilt = pads.map(({ axes }) => axes[3] ?? 0).find((each) => Math.abs(each) > STICK_REST);
      if (tilt) scroll(tilt * SCROLL_PIXELS);
    },
    { immediate: connectedPads().length > 0 },
  );
  useEventListener(window, "gamepadconnected", resume);
}

function connectedPads(): Gamepad[] {
  return navigator.getGamepads().filter((pad) => pad?.connected === true) as Gamepad[];
}
