/** Return whether the service accepts a user name. */
export function isUsername(text: string): boolean {
  return /^[A-Za-z0-9]{3,32}$/.test(text);
}

/** Return whether the service accepts an email address of the form x@y.z. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^@\s]+@[^@.\s]+(\.[^@.\s]+)+$/.test(text);
}
