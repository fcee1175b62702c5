import { afterEach, expect, it } from "vitest";
import { createApp } from "vue";

import Markdown from "./Markdown.vue";

const place = document.createElement("div");
let shown: ReturnType<typeof createApp> | undefined;

function show(text: string): HTMLElement {
  shown = createApp(Markdown, { text });
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
])("renders no link that executes code or reads data: %s", (text) => {
  expect(show(text).querySelector("a")).toBeNull();
});

it.each(["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![x](https://elsewhere.example/x.png)"])(
  "removes embedded content: %s",
  (text) => {
    expect(show(text).querySelector("script, img, iframe, [onerror]")).toBeNull();
  },
);

it("opens links without a referrer or access to this page", () => {
  const link = show("[x](https://elsewhere.example/)").querySelector("a");
  expect(link?.rel.split(" ")).toEqual(expect.arrayContaining(["noopener", "noreferrer"]));
});
