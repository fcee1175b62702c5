import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

/** The minimum that the service accepts. */
export const MIN_PASSWORD_CHARACTERS = 14;
const MAX_PASSWORD_BYTES = 1024;
// Powers of ten of guesses: four random words reach the last one.
const SCORE_STEPS = [5, 8, 11, 14];
// Further characters cannot make a strong password weaker, and each one costs time.
const MAX_RATED_CHARACTERS = 64;
// The two lowest scores: fewer than 10^8 guesses. The service refuses such passwords too if it is configured so.
const MIN_SCORE = 2;
// Shorter parts of an email address, such as "de", are in half of all passwords.
const MIN_OWN_CHARACTERS = 3;

/** How hard a password is to guess from 0 to 4, and what would improve it. */
export interface Strength {
  score: number;
  advice: Advice | null;
}
export type Advice = "common" | "keys" | "repeat" | "sequence" | "date" | "word" | "own" | "more";

const ADVICE: Record<string, Advice> = {
  topTen: "common",
  topHundred: "common",
  common: "common",
  similarToCommon: "common",
  pwned: "common",
  straightRow: "keys",
  keyPattern: "keys",
  simpleRepeat: "repeat",
  extendedRepeat: "repeat",
  sequences: "sequence",
  recentYears: "date",
  dates: "date",
  wordByItself: "word",
  namesByThemselves: "word",
  commonNames: "word",
  userInputs: "own",
};

let rater: Promise<ZxcvbnFactory> | undefined;

/** Load the dictionaries once; they are large, so nothing waits for them. */
async function loadRater(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: MAX_RATED_CHARACTERS });
}

/** Return whether the service accepts a password, regardless of its strength. */
export function isPassword(password: string): boolean {
  return (
    countCharacters(password) >= MIN_PASSWORD_CHARACTERS &&
    new TextEncoder().encode(password).length <= MAX_PASSWORD_BYTES
  );
}

/** Count characters like the service: an emoji is one. */
export function countCharacters(password: string): number {
  return Array.from(password).length;
}

/** Return whether a password is easy to guess; false if it cannot be rated, because the dictionaries are missing. */
export async function isWeak(password: string, own: string[]): Promise<boolean> {
  const strength = await ratePassword(password, own).catch(() => null);
  return strength !== null && strength.score < MIN_SCORE;
}

/** Rate a password; `own` is what others know about its owner. They know the service's name and address, too. */
export async function ratePassword(password: string, own: string[]): Promise<Strength> {
  rater ??= loadRater().catch((error: unknown) => {
    rater = undefined;
    throw error;
  });
  const { guessesLog10, feedback } = (await rater).check(password, wordsIn([...own, "playdock", location.hostname]));
  const score = SCORE_STEPS.filter((step) => guessesLog10 >= step).length;
  const advice = ADVICE[feedback.warning ?? ""] ?? "more";
  return { score, advice: score === SCORE_STEPS.length ? null : advice };
}

/** Return texts and their parts, such as the name and the host of an email address. */
function wordsIn(texts: string[]): string[] {
  const parts = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  return parts.filter((part) => part.length >= MIN_OWN_CHARACTERS);
}
