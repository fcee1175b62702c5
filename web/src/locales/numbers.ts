type Named = Record<string, unknown>;

function isNamed(value: unknown): value is Named {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Format the numbers among the arguments of a message: vue-i18n inserts them unformatted, as in "1234 games". The
 * number that selects the plural form stays a number.
 */
export function withFormattedNumbers(args: readonly unknown[], format: (value: number) => string): unknown[] {
  const [first, second, ...rest] = args;
  if (typeof first === "number") return [{ n: format(first), count: format(first) }, first, ...args.slice(1)];
  if (!isNamed(first)) return [...args];
  const named = Object.fromEntries(
    Object.entries(first).map(([name, value]) => [name, typeof value === "number" ? format(value) : value]),
  );
  const plural = [second, first.count, first.n].find((value) => value !== undefined && typeof value !== "string");
  return plural === undefined ? [named, ...args.slice(1)] : [named, plural, ...rest];
}
