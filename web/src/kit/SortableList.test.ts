import { flushPromises, mount } from "@vue/test-utils";
import { expect, test } from "vitest";

import SortableList from "./SortableList.vue";

/** A list of letters, sorted by `arrange`. */
function listOf(arrange: (items: string[]) => Promise<void>) {
  const props = { items: ["a", "b", "c"], keyOf: String, nameOf: String, label: "Letters", arrange };
  return mount(SortableList<string>, {
    props,
    slots: { default: "{{ params.item }}" },
    global: { mocks: { $t: (key: string) => key } },
  });
}

function orderOf(list: ReturnType<typeof listOf>): (string | undefined)[] {
  return list.findAll("[data-sortable]").map((item) => item.attributes("data-sortable"));
}

test("an arrow key moves an item and reports the new order", async () => {
  const kept: string[][] = [];
  const list = listOf(async (items) => {
    kept.push(items);
    await list.setProps({ items });
  });
  await list.find("button").trigger("keydown", { key: "ArrowDown" });
  await flushPromises();
  expect(kept).toEqual([["b", "a", "c"]]);
  expect(orderOf(list)).toEqual(["b", "a", "c"]);
});

test("a new order that was not saved is reverted", async () => {
  const list = listOf(() => Promise.resolve());
  await list.find("button").trigger("keydown", { key: "ArrowDown" });
  await flushPromises();
  expect(orderOf(list)).toEqual(["a", "b", "c"]);
});
