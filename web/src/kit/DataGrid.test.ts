import { flushPromises, mount } from "@vue/test-utils";
import { expect, it } from "vitest";
import { createI18n } from "vue-i18n";

import DataGrid from "./DataGrid.vue";
import { loadAllPages } from "./pages";

const i18n = createI18n({ legacy: false, locale: "en", messages: { en: {} }, missingWarn: false, fallbackWarn: false });

function gridOf(props: object) {
  const common = {
    keyOf: (item: unknown) => String(item),
    nameOf: (item: unknown) => String(item),
    columns: [],
    label: "Games",
    grid: "",
    marked: new Set<string>(),
  };
  return mount(DataGrid, { props: { ...common, items: [], ...props }, global: { plugins: [i18n] } });
}

it("selects all rows of a list, also those of pages that were not loaded", async () => {
  const pages = [["a", "b"], ["c"], ["d", "e"]];
  let loaded = 1;
  const hasNextPage = { value: true };
  const grid = gridOf({ items: pages[0], hasMore: true, loadAll: () => loadAllPages({ hasNextPage, fetchNextPage }) });
  async function fetchNextPage() {
    loaded += 1;
    hasNextPage.value = loaded < pages.length;
    await grid.setProps({ items: pages.slice(0, loaded).flat(), hasMore: hasNextPage.value } as object);
    return { hasNextPage: hasNextPage.value, isError: false };
  }

  await grid.get("input").setValue(true);
  await flushPromises();

  expect(grid.emitted("update:marked")?.at(-1)).toEqual([new Set(["a", "b", "c", "d", "e"])]);
});

it("selects nothing if further pages cannot be loaded", async () => {
  const grid = gridOf({ items: ["a"], hasMore: true, loadAll: () => Promise.resolve(false) });
  await grid.get("input").setValue(true);
  await flushPromises();
  expect(grid.emitted("update:marked")).toBeUndefined();
  expect((grid.get("input").element as HTMLInputElement).checked).toBe(false);
});

it("opens a row that is clicked, unless the click was on a control in it, and keeps the color of selected rows", async () => {
  const opened: unknown[] = [];
  const slot = { default: "<div role='gridcell'><a href='#'>link</a><span>text</span></div>" };
  const grid = mount(DataGrid, {
    props: {
      items: ["a"],
      keyOf: String,
      nameOf: String,
      columns: [],
      label: "Games",
      grid: "",
      marked: new Set(["a"]),
      onOpen: (item: unknown) => opened.push(item),
    },
    slots: slot,
    global: { plugins: [i18n] },
    attachTo: document.body,
  });
  await flushPromises();
  const rows = grid.findAll("[role=row]");
  const row = rows[1];
  if (row) {
    await row.get("a").trigger("click");
    expect(opened).toEqual([]);
    await row.get("span").trigger("click");
    expect(opened).toEqual(["a"]);
    expect(row.classes().filter((name) => name.startsWith("hover:bg"))).toEqual([]);
  }
  expect(rows.length).toBe(2);
  grid.unmount();
});
