import { afterEach, expect, it } from "vitest";
import { createApp } from "vue";

import Prose from "./Prose.vue";

const place = document.createElement("div");
let shown: ReturnType<typeof createApp> | undefined;

function show(text: string): HTMLElement {
  shown = createApp(Prose, { text });
  shown.mount(place);
  return place;
}
afterEach(() => {
  shown?.unmount();
});

it.each([
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](vbscript:x)",
  "[x](file:///etc/passwd)",
  "[x](data:text/html,<script>alert(1)</script>)",
  "<javascript:alert(1)>",
  '<a href="javascript:alert(1)">x</a>',
])("makes no link that runs or reads something: %s", (text) => {
  expect(show(text).querySelector("a")).toBeNull();
});

it.each(["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![x](https://elsewhere.example/x.png)"])(
  "takes in nothing of others: %s",
  (text) => {
    expect(show(text).querySelector("script, img, iframe, [onerror]")).toBeNull();
  },
);

it("leads elsewhere without telling where from, or giving this page away", () => {
  const link = show("[x](https://elsewhere.example/)").querySelector("a");
  expect(link?.rel.split(" ")).toEqual(expect.arrayContaining(["noopener", "noreferrer"]));
});
