/** Tell whether somebody could still sign in without one of their ways: another must be theirs and switched on. */
export function isSpare(kind: string, own: readonly string[], enabled: readonly string[]): boolean {
  return own.some((other) => other !== kind && enabled.includes(other));
}
