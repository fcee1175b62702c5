import type { LocationQuery, LocationQueryRaw } from "vue-router";

import type { ListGamesData, Order, Platform, Sort } from "@/api";
import { PLATFORMS } from "@/features/games/words";

export const SORTS: readonly Sort[] = ["newest", "updated", "name", "released", "rating"];
const ORDERS: readonly Order[] = ["asc", "desc"];
const MOST_TAGS = 10;
const LONGEST_SEARCH = 256;

/** Which games are wanted, and in which order; null where it is left to the service. */
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

/** What an address says; what means nothing there counts as not said. */
export function readFilters(query: LocationQuery): Filters {
  const tags = textOf(query.tag).split(",").filter(Boolean);
  return {
    q: textOf(query.q).slice(0, LONGEST_SEARCH),
    tags: [...new Set(tags)].slice(0, MOST_TAGS),
    company: textOf(query.company).slice(0, 64),
    platform: oneOf(PLATFORMS, query.platform),
    sort: oneOf(SORTS, query.sort),
    order: oneOf(ORDERS, query.order),
  };
}

/** An address's query for filters: only what differs from none, so that short things have short addresses. */
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

/** The same for the service. */
export function wantedOf(filters: Filters): NonNullable<ListGamesData["query"]> {
  return writeFilters({ ...filters, q: filters.q.trim() }) as NonNullable<ListGamesData["query"]>;
}

/** Whether anything but the order narrows the games down. */
export function isNarrowed({ q, tags, company, platform }: Filters): boolean {
  return q.trim() !== "" || tags.length > 0 || company !== "" || platform !== null;
}

/** In which direction a listing runs if nobody says: names rise, all else falls. */
export function orderOf({ sort, order }: Filters): Order {
  return order ?? (sort === "name" ? "asc" : "desc");
}
