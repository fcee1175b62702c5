import { expect, it } from "vitest";

import { baseOf } from "./linkAddress";

const LOCAL = { address: "http://localhost:3000", local: true, alternatives: ["http://nas:3000", "http://vpn:3000"] };

it.each([
  [LOCAL, "", "http://nas:3000"],
  [LOCAL, "http://localhost:3000", "http://localhost:3000"],
  [{ ...LOCAL, alternatives: [] }, "", "http://localhost:3000"],
  [{ address: "https://games.example.org", local: false, alternatives: [] }, "", "https://games.example.org"],
])("a link begins with an address that others can open: %#", (known, chosen, base) => {
  expect(baseOf(known, chosen)).toBe(base);
});
