import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

/** The service takes passwords from here on. */
export const LEAST_PASSWORD = 14;
const MOST_BYTES = 1024;
// Powers of ten of guesses: with the last, four words at random are very good.
const STEPS = [5, 8, 11, 14];
// What comes behind makes a strong password no weaker, and every character costs time.
const MOST_JUDGED = 64;

/** How hard a password is to guess, 0 to 4, and why it is not harder. */
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

let judge: Promise<ZxcvbnFactory> | undefined;

/** Fetch the lists of guessable passwords, once; they are large, so nothing waits for them. */
async function fetchJudge(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: MOST_JUDGED });
}

/** Tell whether the service takes a password, whatever it is worth. */
export function isPassword(password: string): boolean {
  return lengthOf(password) >= LEAST_PASSWORD && new TextEncoder().encode(password).length <= MOST_BYTES;
}

/** Count characters as the service does: a smiley is one. */
export function lengthOf(password: string): number {
  return Array.from(password).length;
}

/** Judge a password; `own` is what others know of its owner. */
export async function judgePassword(password: string, own: string[]): Promise<Strength> {
  judge ??= fetchJudge().catch((error: unknown) => {
    judge = undefined;
    throw error;
  });
  const { guessesLog10, feedback } = (await judge).check(password, own.filter(Boolean));
  const score = STEPS.filter((step) => guessesLog10 >= step).length;
  const advice = ADVICE[feedback.warning ?? ""] ?? "more";
  return { score, advice: score === STEPS.length ? null : advice };
}
