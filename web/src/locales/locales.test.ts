import { describe, expect, test } from "vitest";

import de from "./de";
import en from "./en";

const SOURCES = import.meta.glob<string>(["../**/*.{vue,ts}", "!../**/*.test.ts", "!../api/generated/**"], {
  eager: true,
  query: "?raw",
  import: "default",
});

function flat(messages: object, path: string[] = []): [string, string][] {
  return Object.entries(messages).flatMap(([key, value]: [string, unknown]): [string, string][] =>
    typeof value === "object" && value ? flat(value, [...path, key]) : [[[...path, key].join("."), String(value)]],
  );
}

const ENGLISH = new Map(flat(en));
const GERMAN = new Map(flat(de));
// The service returns problems in English; only other languages have messages for them.
const SAID_BY_SERVICE = /^problems\.(types|service|titles)\./;
const PARTS = Object.keys(en);
// Wording that was replaced by the usual terms of such pages.
const RETIRED_ENGLISH = [
  /\b(anew|whoever|nobody|everybody|somebody|meanwhile|mend(ed)?|goes|lately)\b/i,
  /\b(take|takes|taken) back\b/i,
  /\bwithdraw(n|s)?\b/i,
  /\be-mails?\b/i,
  /\blet in\b|\blet a device in\b/i,
  /\b(choose|select) none\b/i,
  /\bfewer letters\b/i,
  /\bat present\b/i,
];
const RETIRED_GERMAN = [
  /\bzurückgenommen\b|\bzurücknehmen\b|\bzurückziehen\b|\bzurückgezogen\b/i,
  /\bweniger Buchstaben\b/i,
  /\bauffrischen\b/i,
  /\beinen Blick\b/i,
  /\bSo ein\b|\bSo heißt\b/,
];
// A count is a numeral: “1 game”, not “One game”.
const COUNT_IN_WORDS = /^(one|ein|eine|eins|einer) /i;

/** The placeholders, without duplicates, because a plural form may omit one. */
function placeholders(sentence: string | undefined): string[] {
  const names = (sentence ?? "").matchAll(/\{(\w+)\}/g);
  return [...new Set(Array.from(names, ([, name = ""]) => name))].sort();
}

function forms(sentence: string | undefined): number {
  return (sentence ?? "").split(" | ").length;
}

// A string that starts with a namespace is a message key, in `t()`, a condition or a table. The value of an attribute
// may be one, or an expression that only looks like one.
const LITERAL = new RegExp(`=?["'](?:${PARTS.join("|")})(?:\\.\\w[\\w-]*)+["']`, "g");
const MADE = new RegExp(`\`((?:${PARTS.join("|")})\\.[^\`]*?\\$\\{[^\`]*)\``, "g");

function literalsIn(source: string): string[] {
  return Array.from(source.matchAll(LITERAL), ([literal]) => literal);
}

function keyOf(literal: string): string {
  return literal.replace(/[="']/g, "");
}

/** A pattern for keys that are composed: `tags.kinds.${kind}` matches any word there. */
function patternsIn(source: string): RegExp[] {
  return Array.from(source.matchAll(MADE), ([, made = ""]) => {
    const fixed = made.split(/\$\{[^}]*\}/).map((piece) => piece.replaceAll(".", "\\."));
    return new RegExp(`^${fixed.join("[\\w.-]+")}$`);
  });
}

const sources = Object.values(SOURCES);
const literals = sources.flatMap(literalsIn);
const used = new Set(literals.map(keyOf));
const patterns = sources.flatMap(patternsIn);

describe("messages", () => {
  test("exist in both languages", () => {
    expect([...ENGLISH.keys()].filter((key) => !GERMAN.has(key))).toEqual([]);
    const spare = [...GERMAN.keys()].filter((key) => !ENGLISH.has(key) && !SAID_BY_SERVICE.test(key));
    expect(spare).toEqual([]);
  });

  test("have the same placeholders and plural forms in both languages", () => {
    const unlike = [...ENGLISH].filter(
      ([key, sentence]) =>
        String(placeholders(sentence)) !== String(placeholders(GERMAN.get(key))) ||
        forms(sentence) !== forms(GERMAN.get(key)),
    );
    expect(unlike.map(([key]) => key)).toEqual([]);
  });

  test("are not empty", () => {
    const empty = [...ENGLISH, ...GERMAN].filter(([, sentence]) => !sentence.trim());
    expect(empty).toEqual([]);
  });

  test.each([
    ["English", ENGLISH, RETIRED_ENGLISH],
    ["German", GERMAN, RETIRED_GERMAN],
  ])("%s avoids retired words", (_language, messages, retired) => {
    const stale = [...messages].filter(([, sentence]) => retired.some((words) => words.test(sentence)));
    expect(stale).toEqual([]);
  });

  test("counts are numerals in both languages", () => {
    const counted = [...ENGLISH, ...GERMAN].filter(([, sentence]) => sentence.includes(" | "));
    const inWords = counted.filter(([, sentence]) => sentence.split(" | ").some((form) => COUNT_IN_WORDS.test(form)));
    expect(inWords).toEqual([]);
  });

  test("confirmations of an action end without a period", () => {
    const confirmation = /^(Saved|Deleted|Added|Removed|Merged|Featured)\b/;
    const ended = [...ENGLISH].filter(([, sentence]) => confirmation.test(sentence) && sentence.endsWith("."));
    expect(ended).toEqual([]);
  });

  test("exist if they are used", () => {
    const asked = literals.filter((literal) => !literal.startsWith("=")).map(keyOf);
    expect(asked.filter((key) => !ENGLISH.has(key))).toEqual([]);
  });

  test("are used if they exist", () => {
    const idle = [...ENGLISH.keys()].filter((key) => !used.has(key) && !patterns.some((made) => made.test(key)));
    expect(idle).toEqual([]);
  });
});
