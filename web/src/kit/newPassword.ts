import { computed, type MaybeRefOrGetter, shallowRef, toValue } from "vue";

import { isPassword, isWeak } from "./passwordStrength";

/**
 * Checks a new password; `own` is what others know about its owner. `fault` is the key of a text in
 * `kit.passwordFaults`. A weak password is known as such only after `check`, which may load dictionaries.
 */
export function useNewPassword(password: MaybeRefOrGetter<string>, own: MaybeRefOrGetter<string[]> = []) {
  const weak = shallowRef<string | null>(null);
  const fault = computed(() => {
    if (!isPassword(toValue(password))) return "rule";
    return toValue(password) === weak.value ? "weak" : null;
  });

  /** Return whether the password may be sent. */
  async function check(): Promise<boolean> {
    const checked = toValue(password);
    const found = isPassword(checked) && (await isWeak(checked, toValue(own)));
    if (checked !== toValue(password)) return false;
    weak.value = found ? checked : null;
    return fault.value === null;
  }

  return { fault, check };
}
