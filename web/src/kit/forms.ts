import { nextTick, type Ref, watch } from "vue";

/** Focus the first field of a form once it is rendered. */
export function useAutofocus(form: Readonly<Ref<HTMLElement | null>>): void {
  watch(form, (shown) => shown?.querySelector<HTMLElement>("input:not([readonly], [hidden])")?.focus(), {
    flush: "post",
  });
}

/** Focus the first invalid field once its error is shown; `data-invalid` marks other elements than fields. */
export async function focusFirstError(form: HTMLElement | null): Promise<void> {
  await nextTick();
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]')?.focus();
}

/** Focus the first invalid field whenever a request has failed. */
export function useFocusOnError(form: Readonly<Ref<HTMLElement | null>>, error: Readonly<Ref<unknown>>): void {
  watch(error, (found) => found && focusFirstError(form.value));
}
