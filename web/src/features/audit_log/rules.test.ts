import { expect, it } from "vitest";

import { detailsLine, readableOperation } from "./rules";

it("writes details in one line", () => {
  expect(detailsLine({ enabled: false, email: "…", rows: 2, base: null })).toBe(
    "enabled: false, email: …, rows: 2, base: null",
  );
  expect(detailsLine({})).toBe("");
});

it("reads operations without a text", () => {
  expect(readableOperation("change_user")).toBe("Change user");
});
