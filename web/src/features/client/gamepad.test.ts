import { mount } from "@vue/test-utils";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { type Command, heldCommands, repeater, useGamepads } from "./gamepad";

function padOf(pressed: readonly number[], axes: readonly number[] = [0, 0, 0, 0]): Gamepad {
  const buttons = Array.from({ length: 17 }, (_, index) => ({ pressed: pressed.includes(index) }));
  return { connected: true, buttons, axes } as unknown as Gamepad;
}

test.each<[string, Gamepad, Command[]]>([
  ["buttons", padOf([0, 1, 3, 4, 5, 9]), ["select", "back", "search", "previous", "next", "menu"]],
  ["the D-pad", padOf([12, 15]), ["up", "right"]],
  ["the stick to the left", padOf([], [-0.9, 0.3]), ["left"]],
  ["the stick down", padOf([], [0.3, 0.9]), ["down"]],
  ["a worn stick", padOf([], [0.2, -0.3]), []],
])("reads %s", (_name, pad, expected) => {
  expect([...heldCommands([pad])]).toEqual(expected);
});

test("a direction is repeated while it is held, a button is not", () => {
  const repeat = repeater();
  const held = new Set<Command>(["down", "select"]);
  repeat(new Set(), 0);
  expect(repeat(held, 10)).toEqual(["down", "select"]);
  expect(repeat(held, 300)).toEqual([]);
  expect(repeat(held, 410)).toEqual(["down"]);
  expect(repeat(held, 500)).toEqual([]);
  expect(repeat(held, 550)).toEqual(["down"]);
  expect(repeat(new Set(), 560)).toEqual([]);
  expect(repeat(held, 570)).toEqual(["down", "select"]);
});

test("what is held from the beginning does nothing until it is released", () => {
  const repeat = repeater();
  const held = new Set<Command>(["down", "select"]);
  expect([repeat(held, 0), repeat(held, 1000)]).toEqual([[], []]);
  repeat(new Set(), 1010);
  expect(repeat(held, 1020)).toEqual(["down", "select"]);
});

let pads: (Gamepad | null)[] = [];
let reads = 0;
beforeEach(() => {
  pads = [];
  vi.useFakeTimers({ toFake: ["requestAnimationFrame", "cancelAnimationFrame", "performance"] });
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  Object.defineProperty(navigator, "getGamepads", {
    configurable: true,
    value: () => {
      reads += 1;
      return pads;
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("gamepads are read only while one is connected and the window has the focus", () => {
  const ran: (Command | number)[] = [];
  const add = (one: Command | number) => void ran.push(one);
  const component = mount({
    setup() {
      useGamepads(add, add);
      return () => null;
    },
  });
  reads = 0;
  vi.advanceTimersByTime(100);
  expect(reads).toBe(0);

  pads = [null, padOf([])];
  window.dispatchEvent(new Event("gamepadconnected"));
  vi.advanceTimersByTime(50);
  pads = [null, padOf([13], [0, 0, 0, 1])];
  vi.advanceTimersByTime(20);
  expect(ran).toEqual(["down", 28]);

  vi.mocked(document.hasFocus).mockReturnValue(false);
  pads = [null, padOf([0])];
  vi.advanceTimersByTime(50);
  vi.mocked(document.hasFocus).mockReturnValue(true);
  vi.advanceTimersByTime(50);
  expect(ran).toHaveLength(2);

  pads = [null, null];
  vi.advanceTimersByTime(50);
  reads = 0;
  vi.advanceTimersByTime(100);
  expect(reads).toBe(0);
  component.unmount();
});
