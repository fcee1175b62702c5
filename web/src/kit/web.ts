/** Tell whether an address leads to a page of the web: others may run programs, and do not become links. */
export function isWeb(address: string): boolean {
  return /^https?:\/\//i.test(address) && URL.canParse(address);
}
