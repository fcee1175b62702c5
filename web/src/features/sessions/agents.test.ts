import { expect, test } from "vitest";

import { readAgent } from "./agents";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const EDGE =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
const PIXEL =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36";

test("a browser is distinguished from those it imitates", () => {
  expect(readAgent(FIREFOX)).toEqual({ browser: "Firefox", system: "Linux", isPhone: false });
  expect(readAgent(EDGE)).toEqual({ browser: "Edge", system: "Windows", isPhone: false });
});

test("a phone is distinguished from a desktop system", () => {
  expect(readAgent(IPHONE)).toEqual({ browser: "Safari", system: "iOS", isPhone: true });
  expect(readAgent(PIXEL)).toEqual({ browser: "Chrome", system: "Android", isPhone: true });
});

test("a program is identified by its own name", () => {
  expect(readAgent("python-httpx/0.28.1")).toEqual({ browser: "python-httpx", system: "", isPhone: false });
});

test("an unknown agent is empty", () => {
  expect(readAgent("")).toEqual({ browser: "", system: "", isPhone: false });
  expect(readAgent("Mozilla/5.0")).toEqual({ browser: "", system: "", isPhone: false });
});
