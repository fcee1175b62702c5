import { expect, test } from "vitest";

import { faultOf, isPlaced } from "./faults";

test("a part of a field is at fault with its field", () => {
  expect(faultOf({ "websites[1].url": "No address." }, "websites")).toBe("No address.");
});

test("another field that begins alike is not", () => {
  expect(faultOf({ nameOfIt: "Too long." }, "name")).toBeUndefined();
});

test("a fault that stands at no field is told elsewhere", () => {
  expect(isPlaced({ "options.baseDir": "Gone." }, ["name", "options"])).toBe(true);
  expect(isPlaced({ name: "Taken.", id: "Unknown." }, ["name"])).toBe(false);
  expect(isPlaced({}, ["name"])).toBe(false);
});
