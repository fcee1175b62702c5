// Big mode on the first page: arrow keys and gamepads move the focus. The page has one column, so two directions do.
// Buttons and times are those of the server's pages: web/src/features/client/gamepad.ts.

const BUTTONS = { 0: "select", 1: "back", 12: "up", 13: "down" };
const KEYS = { ArrowUp: "up", ArrowDown: "down" };
const STICK_STEP = 0.5;
const REPEAT_AFTER_MS = 400;
const REPEAT_MS = 130;

function move(by) {
  const targets = [...document.querySelectorAll("button:enabled, input, a[href]")].filter((each) =>
    each.checkVisibility(),
  );
  const at = targets.indexOf(document.activeElement);
  targets[Math.min(Math.max(at + by, 0), targets.length - 1)]?.focus();
}

function run(command) {
  if (command === "up") move(-1);
  else if (command === "down") move(1);
  else if (command === "back") [...document.querySelectorAll("#back")].find((each) => each.checkVisibility())?.click();
  else if (document.activeElement?.matches("#address")) document.activeElement.form.requestSubmit();
  else document.activeElement?.click();
}

function heldCommands() {
  const held = new Set();
  for (const pad of navigator.getGamepads()) {
    if (!pad?.connected) continue;
    for (const [button, command] of Object.entries(BUTTONS)) if (pad.buttons[button]?.pressed) held.add(command);
    const tilt = pad.axes[1] ?? 0;
    if (Math.abs(tilt) >= STICK_STEP) held.add(tilt < 0 ? "up" : "down");
  }
  return held;
}

// What is held at the beginning belongs to what was before.
let due = null;
function read(now) {
  const held = document.hasFocus() ? heldCommands() : new Set();
  const before = due;
  due = new Map();
  for (const command of held) {
    const at = before ? (before.get(command) ?? now) : Infinity;
    if (at <= now) run(command);
    const repeats = command === "up" || command === "down";
    const wait = before?.has(command) ? REPEAT_MS : REPEAT_AFTER_MS;
    due.set(command, at > now ? at : repeats ? now + wait : Infinity);
  }
  requestAnimationFrame(read);
}

if ("big" in document.documentElement.dataset) {
  addEventListener("keydown", (event) => {
    if (!KEYS[event.key]) return;
    event.preventDefault();
    run(KEYS[event.key]);
  });
  requestAnimationFrame(read);
}
