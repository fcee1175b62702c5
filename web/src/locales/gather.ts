/** Merge the messages of all features; the folder above `locales` is their namespace. */
export function gather(files: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(files).map(([path, messages]) => [partOf(path), messages]));
}

function partOf(path: string): string {
  const part = path.split("/").at(-3);
  if (part === undefined) throw new Error(`${path} lies in no part of the pages`);
  return part;
}
