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
// Problems come with an English sentence of the service's; only other languages have their own.
const SAID_BY_SERVICE = "problems.types.";
const PARTS = Object.keys(en);

/** The names in braces, each once: a plural form may leave one out. */
function placeholders(sentence: string | undefined): string[] {
  const names = (sentence ?? "").matchAll(/\{(\w+)\}/g);
  return [...new Set(Array.from(names, ([, name = ""]) => name))].sort();
}

function forms(sentence: string | undefined): number {
  return (sentence ?? "").split(" | ").length;
}

// A string that begins with the name of a part names a sentence, wherever it stands: in `t()`, in a choice, in a table.
// The value of an attribute may do so, and may be an expression that only looks like it.
const LITERAL = new RegExp(`=?["'](?:${PARTS.join("|")})(?:\\.\\w[\\w-]*)+["']`, "g");
const MADE = new RegExp(`\`((?:${PARTS.join("|")})\\.[^\`]*?\\$\\{[^\`]*)\``, "g");

function literalsIn(source: string): string[] {
  return Array.from(source.matchAll(LITERAL), ([literal]) => literal);
}

function keyOf(literal: string): string {
  return literal.replace(/[="']/g, "");
}

/** What keys put together from pieces may look like: `tags.kinds.${kind}` is any word there. */
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

describe("the sentences of the pages", () => {
  test("every sentence is there in both languages", () => {
    expect([...ENGLISH.keys()].filter((key) => !GERMAN.has(key))).toEqual([]);
    const spare = [...GERMAN.keys()].filter((key) => !ENGLISH.has(key) && !key.startsWith(SAID_BY_SERVICE));
    expect(spare).toEqual([]);
  });

  test("a sentence has the same placeholders and plural forms in both languages", () => {
    const unlike = [...ENGLISH].filter(
      ([key, sentence]) =>
        String(placeholders(sentence)) !== String(placeholders(GERMAN.get(key))) ||
        forms(sentence) !== forms(GERMAN.get(key)),
    );
    expect(unlike.map(([key]) => key)).toEqual([]);
  });

  test("no sentence is empty", () => {
    const empty = [...ENGLISH, ...GERMAN].filter(([, sentence]) => !sentence.trim());
    expect(empty).toEqual([]);
  });

  test("every sentence that is asked for exists", () => {
    const asked = literals.filter((literal) => !literal.startsWith("=")).map(keyOf);
    expect(asked.filter((key) => !ENGLISH.has(key))).toEqual([]);
  });

  test("no sentence stands there unused", () => {
    const idle = [...ENGLISH.keys()].filter((key) => !used.has(key) && !patterns.some((made) => made.test(key)));
    expect(idle).toEqual([]);
  });
});
