/** What the service takes as a user name. */
export function isUsername(text: string): boolean {
  return /^[A-Za-z0-9]{3,32}$/.test(text);
}

/** What the service takes as an e-mail address: something of the form x@y.z. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^@\s]+@[^@.\s]+(\.[^@.\s]+)+$/.test(text);
}
