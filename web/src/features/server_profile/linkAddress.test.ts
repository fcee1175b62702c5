import { expect, it } from "vitest";

import { baseOf } from "./linkAddress";

const LOCAL = {
  address: "http://local.example",
  local: true,
  alternatives: ["http://nas.example", "http://vpn.example"],
};

it.each([
  [LOCAL, "", "http://nas.example"],
  [LOCAL, "http://local.example", "http://local.example"],
  [{ ...LOCAL, alternatives: [] }, "", "http://local.example"],
  [{ address: "https://games.example", local: false, alternatives: [] }, "", "https://games.example"],
])("a link begins with an address that others can open: %#", (known, chosen, base) => {
  expect(baseOf(known, chosen)).toBe(base);
});
