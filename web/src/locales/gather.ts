/** Put the sentences of all features together; the folder above `locales` names the part they stand in. */
export function gather(files: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(files).map(([path, messages]) => [partOf(path), messages]));
}

function partOf(path: string): string {
  const part = path.split("/").at(-3);
  if (part === undefined) throw new Error(`${path} lies in no part of the pages`);
  return part;
}
