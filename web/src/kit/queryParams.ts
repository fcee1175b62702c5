import { useRouteQuery } from "@vueuse/router";
import { computed, type Ref } from "vue";
import { type Router, useRouter } from "vue-router";

// useRouteQuery collects the changes of one tick per router object, so there is one such object per router.
const quietRouters = new WeakMap<Router, Router>();

/** A router whose failed navigations are reported to `router.onError` only, not as an unhandled rejection too. */
function useQuietRouter(): Router {
  const router = useRouter();
  const quiet = quietRouters.get(router) ?? {
    ...router,
    replace: (to: Parameters<Router["replace"]>[0]) => router.replace(to).catch(() => undefined),
  };
  quietRouters.set(router, quiet);
  return quiet;
}

/**
 * A query parameter, such as a filter, that can be read and set. The fallback is left out of the address. Anybody can
 * write an address: with `known` values, any other value counts as the fallback.
 */
export function useQueryParam<V extends string = string>(
  name: string,
  fallback: V = "" as V,
  known?: readonly V[],
): Ref<V> {
  return useRouteQuery<string | string[], V>(name, fallback, {
    mode: "replace",
    router: useQuietRouter(),
    transform: {
      get: (value) => (typeof value === "string" && isValid(value, known) ? (value as V) : fallback),
      set: (value) => value || fallback,
    },
  });
}

function isValid(value: string, known?: readonly string[]): boolean {
  return value !== "" && (!known || known.includes(value));
}

/** A query parameter of pairs, such as the task that works on each thing: `ready=a~1,b~2`. */
export function useQueryParamPairs(name: string) {
  const param = useQueryParam(name);
  const pairs = computed(() => new Map(param.value.split(",").flatMap((pair) => parsePair(pair))));

  function set(key: string, value: string | null): void {
    const next = new Map(pairs.value);
    next.delete(key);
    if (value) next.set(key, value);
    param.value = [...next].map((pair) => pair.join("~")).join(",");
  }
  return { pairs, set };
}

function parsePair(text: string): [string, string][] {
  const [key, value] = text.split("~");
  return key && value ? [[key, value]] : [];
}
