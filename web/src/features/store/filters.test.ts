import { describe, expect, it } from "vitest";

import { type Filters, isNarrowed, NO_FILTERS, orderOf, readFilters, wantedOf, writeFilters } from "./filters";

const ALL: Filters = { q: "doom", tags: ["a", "b"], company: "c", platform: "Linux", sort: "name", order: "desc" };

describe("filters in the address", () => {
  it("survive a round trip", () => {
    const written = writeFilters(ALL);
    expect(readFilters(written as Record<string, string>)).toEqual(ALL);
  });

  it("are omitted when unset", () => {
    expect(writeFilters(NO_FILTERS)).toEqual({});
  });

  it("are ignored when invalid", () => {
    expect(readFilters({ platform: "Amiga", sort: "luck", order: "up", tag: ",,", q: null, company: [] })).toEqual(
      NO_FILTERS,
    );
  });

  it("contain as many tags as the service accepts, without duplicates", () => {
    const tags = [..."aabcdefghijklm"].join(",");
    expect(readFilters({ tag: tags }).tags).toEqual([..."abcdefghij"]);
  });
});

describe("the query of the service", () => {
  it("has no search for blanks", () => {
    expect(wantedOf({ ...NO_FILTERS, q: "  " })).toEqual({});
    expect(isNarrowed({ ...NO_FILTERS, q: "  " })).toBe(false);
  });

  it("sorts names ascending and everything else descending", () => {
    expect(orderOf({ ...NO_FILTERS, sort: "name" })).toBe("asc");
    expect(orderOf({ ...NO_FILTERS, sort: "rating" })).toBe("desc");
    expect(orderOf(ALL)).toBe("desc");
  });
});
