import { expect, test } from "vitest";

import { offerFor, packageCommands, picturesOf, systemOf } from "./rules";

const DESKTOP = { maxTouchPoints: 0, screen: { width: 1920, height: 1080 } };
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const SAFARI = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15";

test("the system of a browser is recognized", () => {
  const systems = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0 Edg/150.0": "Windows",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1": "phone",
    "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36": "phone",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Valve Steam GameOverlay": "SteamDeck",
    [FIREFOX]: "Linux",
    [SAFARI]: "macOS",
    "": "Windows",
  };
  for (const [userAgent, system] of Object.entries(systems)) expect(systemOf({ ...DESKTOP, userAgent })).toBe(system);
});

test("a Steam Deck is recognized by its screen, and an iPad by its touch screen", () => {
  const deck = { userAgent: FIREFOX, maxTouchPoints: 10, screen: { width: 800, height: 1280 } };
  expect(systemOf(deck)).toBe("SteamDeck");
  expect(systemOf({ ...deck, maxTouchPoints: 0 })).toBe("Linux");
  expect(systemOf({ ...DESKTOP, userAgent: SAFARI, maxTouchPoints: 5 })).toBe("phone");
});

function download(system: "Windows" | "Linux" | "Any") {
  return { name: `client-${system}`, system, version: "0.1.0", size: 1, sha256: "", downloadName: "" };
}

test("a system without its own client gets the package for Python", () => {
  const all = [download("Windows"), download("Linux"), download("Any")];
  const ways = (["Windows", "Linux", "SteamDeck", "macOS"] as const).map((system) => offerFor(system, all)?.way);
  expect(ways).toEqual(["setup", "archive", "deck", "package"]);
  expect(offerFor("Windows", [download("Any")])?.way).toBe("package");
  expect(offerFor("Windows", [download("Linux")])).toBeUndefined();
});

test("each way has three steps", () => {
  for (const way of ["setup", "archive", "deck", "package"] as const) expect(picturesOf(way)).toHaveLength(3);
});

test("the commands name the server below its path", () => {
  expect(packageCommands(download("Any"), "https://games.example.org", "")).toEqual([
    "uv tool install https://games.example.org/api/v1/client-downloads/client-Any",
    "playdock-client app https://games.example.org",
  ]);
});
