/** The fields with the id of what an entry is about, of which it has the name. */
const SUBJECTS = new Set(["id", "gameId", "libraryId", "versionId"]);

/** The details of an entry in one line, such as “Enabled: no, Email: …”, without ids beside names. */
export function detailsLine(
  details: Record<string, unknown>,
  { field, answer }: { field: (name: string) => string; answer: (value: boolean | null) => string },
): string {
  const valueOf = (value: unknown) =>
    typeof value === "boolean" || value === null
      ? answer(value)
      : typeof value === "string"
        ? value
        : JSON.stringify(value);
  return Object.entries(details)
    .filter(([name]) => !SUBJECTS.has(name) && !(name.endsWith("Id") && name.slice(0, -2) in details))
    .map(([name, value]) => `${field(name)}: ${valueOf(value)}`)
    .join(", ");
}

/** The name of an operation that has no text yet: `change_user` is read as “Change user”. */
export function readableOperation(operation: string): string {
  const words = operation.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The times at which a period of days begins and ends, in the time zone of the browser; days that are no dates are left out. */
export function period(first: string, last: string): { since?: string; until?: string } {
  const since = startOf(first, 0);
  const until = startOf(last, 1);
  return { ...(since && { since }), ...(until && { until }) };
}

function startOf(day: string, later: number): string | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!found) return undefined;
  const [year, month, date] = found.slice(1).map(Number) as [number, number, number];
  if (year < 100 || month < 1 || month > 12 || date < 1 || date > 31) return undefined;
  return new Date(year, month - 1, date + later).toISOString();
}
