import type { LocationQuery, LocationQueryRaw } from "vue-router";

import type { ListGamesData, Order, Platform, Sort } from "@/api";
import { PLATFORMS } from "@/features/games/constants";

export const SORTS: readonly Sort[] = ["newest", "updated", "name", "released", "rating"];
const ORDERS: readonly Order[] = ["asc", "desc"];
const MAX_TAGS = 10;
const MAX_SEARCH_CHARACTERS = 256;

/** The filters and the order of the games; null leaves the choice to the service. */
export interface Filters {
  q: string;
  tags: readonly string[];
  company: string;
  platform: Platform | null;
  sort: Sort | null;
  order: Order | null;
}

export const NO_FILTERS: Filters = { q: "", tags: [], company: "", platform: null, sort: null, order: null };

function textOf(value: LocationQuery[string] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

function oneOf<T extends string>(known: readonly T[], value: LocationQuery[string] | undefined): T | null {
  return known.find((each) => each === textOf(value)) ?? null;
}

/** Read filters from query parameters; invalid values are ignored. */
export function readFilters(query: LocationQuery): Filters {
  const tags = textOf(query.tag).split(",").filter(Boolean);
  return {
    q: textOf(query.q).slice(0, MAX_SEARCH_CHARACTERS),
    tags: [...new Set(tags)].slice(0, MAX_TAGS),
    company: textOf(query.company).slice(0, 64),
    platform: oneOf(PLATFORMS, query.platform),
    sort: oneOf(SORTS, query.sort),
    order: oneOf(ORDERS, query.order),
  };
}

/** Convert filters to query parameters, omitting unset ones. */
export function writeFilters({ q, tags, company, platform, sort, order }: Filters): LocationQueryRaw {
  return {
    ...(q && { q }),
    ...(tags.length && { tag: tags.join(",") }),
    ...(company && { company }),
    ...(platform && { platform }),
    ...(sort && { sort }),
    ...(order && { order }),
  };
}

/** Convert filters to the query of the service. */
export function wantedOf(filters: Filters): NonNullable<ListGamesData["query"]> {
  return writeFilters({ ...filters, q: filters.q.trim() }) as NonNullable<ListGamesData["query"]>;
}

/** Return whether any filter is active, not counting the order. */
export function isNarrowed({ q, tags, company, platform }: Filters): boolean {
  return q.trim() !== "" || tags.length > 0 || company !== "" || platform !== null;
}

/** The effective direction of the order: by default, names ascend and everything else descends. */
export function orderOf({ sort, order }: Filters): Order {
  return order ?? (sort === "name" ? "asc" : "desc");
}
