import { nextTick, type Ref, watch } from "vue";

/** Lead the keyboard to the first field of a form as soon as the form is there. */
export function useFirstFocus(form: Readonly<Ref<HTMLElement | null>>): void {
  watch(form, (shown) => shown?.querySelector<HTMLElement>("input:not([readonly], [hidden])")?.focus(), {
    flush: "post",
  });
}

/** Lead the keyboard to the first field that is at fault, once its fault is shown; `data-fault` marks what is no field. */
export async function focusFault(form: HTMLElement | null): Promise<void> {
  await nextTick();
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault="true"]')?.focus();
}
