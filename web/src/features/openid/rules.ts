/** Return whether a user could still sign in without one of their methods. */
export function isSpare(kind: string, own: readonly string[], enabled: readonly string[]): boolean {
  return own.some((other) => other !== kind && enabled.includes(other));
}
