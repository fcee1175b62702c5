import { computed, type MaybeRefOrGetter, toValue, watch } from "vue";

import { dismissGood } from "@/kit/toasts";

import { useErrorMessages } from ".";

/** The error of a field, or of a part of it: of `websites`, also that of `websites[2].url`. */
export function fieldErrorOf(fields: Readonly<Record<string, string>>, field: string): string | undefined {
  const found = fields[field] === undefined ? Object.keys(fields).find((name) => rootOf(name) === field) : field;
  return found === undefined ? undefined : fields[found];
}

/** Return whether all errors belong to fields of the form. */
export function areAllShown(fields: Readonly<Record<string, string>>, shownFields: readonly string[]): boolean {
  const names = Object.keys(fields);
  return names.length > 0 && names.every((name) => shownFields.includes(rootOf(name)));
}

function rootOf(field: string): string {
  return field.split(/[.[]/)[0] ?? field;
}

/**
 * The field errors of a failed request, and the request's error if not all of it is shown at fields. An error closes the
 * toasts of earlier successes.
 */
export function useFieldErrors(error: MaybeRefOrGetter<unknown>, shownFields: readonly string[]) {
  const { describeError } = useErrorMessages();
  watch(
    () => toValue(error),
    (now) => {
      if (now) dismissGood();
    },
  );
  const fields = computed(() => (toValue(error) ? describeError(toValue(error)).fields : {}));
  const formError = computed(() => (areAllShown(fields.value, shownFields) ? null : toValue(error)));
  return { fields, formError, errorText: (field: string) => fieldErrorOf(fields.value, field) };
}
