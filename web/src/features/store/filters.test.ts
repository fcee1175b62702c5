import { describe, expect, it } from "vitest";

import { type Filters, isNarrowed, NO_FILTERS, orderOf, readFilters, wantedOf, writeFilters } from "./filters";

const ALL: Filters = { q: "doom", tags: ["a", "b"], company: "c", platform: "Linux", sort: "name", order: "desc" };

describe("the filters in an address", () => {
  it("are read as they were written", () => {
    const written = writeFilters(ALL);
    expect(readFilters(written as Record<string, string>)).toEqual(ALL);
  });

  it("are not there where nothing is filtered", () => {
    expect(writeFilters(NO_FILTERS)).toEqual({});
  });

  it("count for nothing where they are nonsense", () => {
    expect(readFilters({ platform: "Amiga", sort: "luck", order: "up", tag: ",,", q: null, company: [] })).toEqual(
      NO_FILTERS,
    );
  });

  it("hold as many tags as the service takes, each once", () => {
    const tags = [..."aabcdefghijklm"].join(",");
    expect(readFilters({ tag: tags }).tags).toEqual([..."abcdefghij"]);
  });
});

describe("what is asked of the service", () => {
  it("has no search where only blanks were typed", () => {
    expect(wantedOf({ ...NO_FILTERS, q: "  " })).toEqual({});
    expect(isNarrowed({ ...NO_FILTERS, q: "  " })).toBe(false);
  });

  it("runs up by name and down by all else", () => {
    expect(orderOf({ ...NO_FILTERS, sort: "name" })).toBe("asc");
    expect(orderOf({ ...NO_FILTERS, sort: "rating" })).toBe("desc");
    expect(orderOf(ALL)).toBe("desc");
  });
});
