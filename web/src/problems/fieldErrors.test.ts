import { expect, test } from "vitest";

import { fieldErrorOf, areAllShown } from "./fieldErrors";

test("an error of a nested field belongs to its field", () => {
  expect(fieldErrorOf({ "websites[1].url": "No address." }, "websites")).toBe("No address.");
});

test("a field with a similar name does not count", () => {
  expect(fieldErrorOf({ nameOfIt: "Too long." }, "name")).toBeUndefined();
});

test("an error without a field is shown elsewhere", () => {
  expect(areAllShown({ "options.baseDir": "Gone." }, ["name", "options"])).toBe(true);
  expect(areAllShown({ name: "Taken.", id: "Unknown." }, ["name"])).toBe(false);
  expect(areAllShown({}, ["name"])).toBe(false);
});
