import { expect, it } from "vitest";

import type { DeviceInstallationsResponse } from "@/api";

import { installationsByGame } from "./installations";

function device(name: string, ...games: string[]): DeviceInstallationsResponse {
  const installations = games.map((gameId) => ({ gameId, gameName: gameId, version: null, update: null }));
  return { id: name, name, platform: null, seen: "", current: false, installations, queue: [] };
}

it("lists the devices of each game", () => {
  const found = installationsByGame([device("laptop", "portal", "quake"), device("tower", "portal")]);

  expect(found.get("portal")?.map((each) => each.device)).toEqual(["laptop", "tower"]);
  expect(found.get("quake")?.map((each) => each.device)).toEqual(["laptop"]);
  expect(found.get("doom")).toBeUndefined();
});
