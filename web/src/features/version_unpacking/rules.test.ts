import { expect, test } from "vitest";

import { isPacked } from "./rules";

test.each(["1.0.zip", "Doom 1.9.7Z", "doom.tar.zst", "setup_doom_1.0.exe", "Setup Doom.exe"])(
  "%s is packed",
  (name) => {
    expect(isPacked(name)).toBe(true);
  },
);

test.each(["1.0", "doom.exe", "7z", "setup.exe", "default"])("%s is not packed", (name) => {
  expect(isPacked(name)).toBe(false);
});
