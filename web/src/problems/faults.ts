import { computed, type MaybeRefOrGetter, toValue } from "vue";

import { useProblems } from ".";

/** What is wrong with a field, or with a part of it: of `websites` also what is wrong with `websites[2].url`. */
export function faultOf(fields: Readonly<Record<string, string>>, field: string): string | undefined {
  const found = fields[field] === undefined ? Object.keys(fields).find((name) => rootOf(name) === field) : field;
  return found === undefined ? undefined : fields[found];
}

/** Tell whether all that is wrong stands at one of some fields of a form. */
export function isPlaced(fields: Readonly<Record<string, string>>, placed: readonly string[]): boolean {
  const names = Object.keys(fields);
  return names.length > 0 && names.every((name) => placed.includes(rootOf(name)));
}

function rootOf(field: string): string {
  return field.split(/[.[]/)[0] ?? field;
}

/** What a refusal says at the fields of a form, and the refusal itself where it says more than they show. */
export function useFaults(error: MaybeRefOrGetter<unknown>, placed: readonly string[]) {
  const { explain } = useProblems();
  const fields = computed(() => (toValue(error) ? explain(toValue(error)).fields : {}));
  const unplaced = computed(() => (isPlaced(fields.value, placed) ? null : toValue(error)));
  return { fields, unplaced, fault: (field: string) => faultOf(fields.value, field) };
}
