/** Return whether an address can become a link; other schemes could run code. */
export function isHttpUrl(address: string): boolean {
  return /^https?:\/\//i.test(address) && URL.canParse(address);
}
