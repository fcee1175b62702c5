/** The common classes of form controls. */
export const CONTROL_CLASS =
  "w-full min-h-10 rounded-control bg-raised px-3 py-2 text-ink ring-1 ring-inset ring-edge transition-shadow duration-150 " +
  "placeholder:text-quiet hover:ring-ink focus-visible:outline-2 focus-visible:outline-accent aria-invalid:ring-bad " +
  "[&:is(input,textarea):read-only]:bg-sunken [&:is(input,textarea):read-only]:text-quiet disabled:opacity-60 pointer-coarse:min-h-11";
