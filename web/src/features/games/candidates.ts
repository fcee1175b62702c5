/** The share of files with the same names and sizes from which on they are surely those of the game. */
export const GOOD_SHARE = 0.99;

/** Whether the files of something that is missing are surely among the candidates. */
export function isFound(candidates: readonly { share: number }[]): boolean {
  return candidates.some(({ share }) => share >= GOOD_SHARE);
}
