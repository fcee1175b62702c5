/** Normalize text for comparison: lower case without accents, single spaces. */
export function normalizeText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");
}

/** Return whether a text contains every typed word. */
export function matchesWords(text: string, typed: string): boolean {
  const within = normalizeText(text);
  return normalizeText(typed)
    .split(" ")
    .every((word) => within.includes(word));
}
