import { describe, expect, it } from "vitest";

import type { VersionResponse } from "@/api";

import { chosenVersion, installCommand, newestFirst, platformOf, versionBefore } from "./versions";

function version(name: string, wanted: Partial<VersionResponse> = {}): VersionResponse {
  return { id: `id-${name}`, name, platform: "Linux", damaged: null, ...wanted } as VersionResponse;
}

describe("chosenVersion", () => {
  const versions = [version("1.0"), version("1.1"), version("1.1-win", { platform: "Windows" })];

  it("is the newest for the platform", () => {
    expect(chosenVersion(versions, "Linux")?.name).toBe("1.1");
    expect(chosenVersion(versions, "Windows")?.name).toBe("1.1-win");
  });

  it("is one for Windows if there is none for Linux", () => {
    const others = [version("win", { platform: "Windows" }), version("mac", { platform: "macOS" })];
    expect(chosenVersion(others, "Linux")?.name).toBe("win");
  });

  it("is the newest of all if there is none for the platform", () => {
    expect(chosenVersion(versions, "macOS")?.name).toBe("1.1-win");
  });

  it("prefers an undamaged version", () => {
    const damaged = version("1.2", { damaged: "2026-01-01T00:00:00Z" });
    expect(chosenVersion([...versions, damaged], "Linux")?.name).toBe("1.1");
    expect(chosenVersion([damaged], "Linux")?.name).toBe("1.2");
  });

  it("is undefined without versions", () => {
    expect(chosenVersion([], "Linux")).toBeUndefined();
  });
});

describe("newestFirst and versionBefore", () => {
  const versions = [version("1.0"), version("win", { platform: "Windows" }), version("1.1")];

  it("sort newest first", () => {
    expect(newestFirst(versions).map((each) => each.name)).toEqual(["1.1", "win", "1.0"]);
  });

  it("find the previous version of the same platform", () => {
    expect(versionBefore(versions, version("1.1"))?.name).toBe("1.0");
    expect(versionBefore(versions, version("1.0"))).toBeUndefined();
  });
});

describe("installCommand", () => {
  it("names the game", () => {
    expect(installCommand({ id: "7", name: "Doom" })).toBe("playdock-client install Doom");
    expect(installCommand({ id: "7", name: "Bright Sea" })).toBe('playdock-client install "Bright Sea"');
  });

  it("uses the id if a shell would interpret the name", () => {
    expect(installCommand({ id: "7", name: "$HOME" })).toBe("playdock-client install 7");
    expect(installCommand({ id: "7", name: "-n" })).toBe("playdock-client install 7");
  });

  it("names a requested version", () => {
    expect(installCommand({ id: "7", name: "Doom" }, { id: "8", name: "1.0" })).toBe(
      "playdock-client install Doom --version 1.0",
    );
  });
});

describe("platformOf", () => {
  it("recognizes the user agent's platform", () => {
    expect(platformOf("Mozilla/5.0 (X11; Linux x86_64)")).toBe("Linux");
    expect(platformOf("Mozilla/5.0 (Windows NT 10.0; Win64; x64)")).toBe("Windows");
    expect(platformOf("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)")).toBe("macOS");
  });
});
