import { expect, test } from "vitest";

import { appLink } from "./appPage";

test("a link names the server with its path, and the game", () => {
  const game = { id: "00000000-0000-0000-0000-000000000001" };
  expect(appLink("http://server.example:3000/games", game)).toBe(
    "playdock://install/http%3A%2F%2Fserver.example%3A3000%2Fgames/00000000-0000-0000-0000-000000000001",
  );
});
