import { expect, test } from "vitest";

import { appLink } from "./appPage";

test("a link names the server with its path, and the game", () => {
  const game = { id: "00000000-0000-0000-0000-000000000001" };
  expect(appLink("http://127.0.0.1:3000/games", game)).toBe(
    "playdock://install/http%3A%2F%2F127.0.0.1%3A3000%2Fgames/00000000-0000-0000-0000-000000000001",
  );
});
