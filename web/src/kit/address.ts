import { computed, type WritableComputedRef } from "vue";
import { type LocationQueryRaw, type Router, useRoute, useRouter } from "vue-router";

// What several words change in one go is one step; a step that is under way is what the next one starts from.
let next: LocationQueryRaw | null = null;

async function replace(router: Router, change: (query: LocationQueryRaw) => LocationQueryRaw): Promise<void> {
  const isFirst = next === null;
  next = change(next ?? router.currentRoute.value.query);
  if (!isFirst) return;
  await Promise.resolve();
  try {
    while (next) {
      const query: LocationQueryRaw = next;
      await router.replace({ query, hash: router.currentRoute.value.hash });
      if (next === query) next = null;
    }
  } finally {
    // A step that fails is dropped, not kept in the way of all later ones.
    next = null;
  }
}

/**
 * A word in the address, such as a filter: what is chosen stays after a reload. Empty words are left out of it. Anybody
 * may write an address: where only some words are `known`, any other counts as the fallback.
 */
export function useAddressed<V extends string = string>(
  name: string,
  fallback: V = "" as V,
  known?: readonly V[],
): WritableComputedRef<V> {
  const route = useRoute();
  const router = useRouter();
  return computed({
    get: () => {
      const value = route.query[name];
      if (typeof value !== "string" || !value) return fallback;
      return !known || known.includes(value as V) ? (value as V) : fallback;
    },
    set: (value) => {
      const change = (query: LocationQueryRaw) => {
        const others = Object.fromEntries(Object.entries(query).filter(([key]) => key !== name));
        return value && value !== fallback ? { ...others, [name]: value } : others;
      };
      // Why it failed the router tells to whoever listens to its errors.
      replace(router, change).catch(() => undefined);
    },
  });
}

/** Words in the address that belong to things, such as the task that works on each: `ready=a~1,b~2`. */
export function useAddressedPairs(name: string) {
  const word = useAddressed(name);
  const pairs = computed(() => new Map(word.value.split(",").flatMap((pair) => pairOf(pair))));

  function set(key: string, value: string | null): void {
    const next = new Map(pairs.value);
    next.delete(key);
    if (value) next.set(key, value);
    word.value = [...next].map((pair) => pair.join("~")).join(",");
  }
  return { pairs, set };
}

function pairOf(text: string): [string, string][] {
  const [key, value] = text.split("~");
  return key && value ? [[key, value]] : [];
}
