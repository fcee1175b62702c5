/** Format a code as devices show it: letters in two halves. */
export function shownCode(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, "");
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}

/** Whether a code is one that Drop's clients show. Codes of other devices have no digits and are longer. */
export function isDropCode(typed: string): boolean {
  return /^[0-9a-f]{7}$/i.test(typed.trim());
}
