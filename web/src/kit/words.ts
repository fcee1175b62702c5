/** Text as it is compared: small letters without accents, one space between words. */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");
}

/** Tell whether every word that was typed stands somewhere in a text. */
export function mentions(text: string, typed: string): boolean {
  const within = folded(text);
  return folded(typed)
    .split(" ")
    .every((word) => within.includes(word));
}
