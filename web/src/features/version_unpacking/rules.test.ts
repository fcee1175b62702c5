import { expect, test } from "vitest";

import type { LibraryResponse } from "@/api";

import { isPacked, targetsOf } from "./rules";

test.each(["1.0.zip", "Doom 1.9.7Z", "doom.tar.zst", "setup_doom_1.0.exe", "Setup Doom.exe"])(
  "%s is packed",
  (name) => {
    expect(isPacked(name)).toBe(true);
  },
);

test.each(["1.0", "doom.exe", "7z", "setup.exe", "default"])("%s is not packed", (name) => {
  expect(isPacked(name)).toBe(false);
});

test("an archive is unpacked in its own library, or into a managed one of the same layout", () => {
  const library = (id: string, backend: LibraryResponse["backend"], managed: boolean): LibraryResponse => ({
    id,
    name: id,
    backend,
    options: { baseDir: `/${id}`, managed },
    rules: { importGames: false, importVersions: false, ignore: [] },
    working: true,
  });
  const libraries = [
    library("own", "Filesystem", true),
    library("read", "Filesystem", false),
    library("flat", "FlatFilesystem", true),
    library("s3", "S3", false),
  ];
  const ids = (of: string, isImported = false): string[] => targetsOf(libraries, of, isImported).map(({ id }) => id);

  expect(ids("own", true)).toEqual(["own"]);
  expect(ids("read")).toEqual(["own"]);
  expect([ids("read", true), ids("s3"), ids("gone")]).toEqual([[], [], []]);
});
