/** The details of an entry in one line, such as `enabled: false, email: …`. */
export function detailsLine(details: Record<string, unknown>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** The name of an operation that has no text yet: `change_user` is read as “Change user”. */
export function readableOperation(operation: string): string {
  const words = operation.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
