import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";

import { type DeviceInstallationsResponse, type InstallationResponse, listInstallationsOptions } from "@/api";

/** A game on a device. */
export interface InstalledGame extends InstallationResponse {
  device: string;
}

/** What is installed on the user's devices, and what waits there. */
export function useInstallations() {
  return useQuery({ ...listInstallationsOptions(), shallow: true });
}

/** The installations of each game by its id, on the device that was used last first. */
export function installationsByGame(
  devices: readonly DeviceInstallationsResponse[],
): ReadonlyMap<string, readonly InstalledGame[]> {
  const found = new Map<string, InstalledGame[]>();
  for (const device of devices) {
    for (const installation of device.installations) {
      const games = found.get(installation.gameId) ?? [];
      found.set(installation.gameId, [...games, { ...installation, device: device.name }]);
    }
  }
  return found;
}

/** The installations of one game. */
export function useInstallationsOf(gameId: () => string) {
  const installations = useInstallations();
  return computed(() => installationsByGame(installations.data.value ?? []).get(gameId()) ?? []);
}
