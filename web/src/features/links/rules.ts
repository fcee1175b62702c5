/** What a link gives: a version's own bytes, all of it as an archive, or one file. */
export type Target = { kind: "content" | "archive"; file: "" } | { kind: "file"; file: string };

/** Read what a link leads to from the path that it opens. */
export function readTarget(path: string): Target {
  const [, rest = ""] = /^\/api\/v1\/versions\/[^/]+\/(.*)$/s.exec(path) ?? [];
  if (rest.startsWith("files/")) return { kind: "file", file: rest.slice("files/".length) };
  return { kind: rest === "archive.zip" ? "archive" : "content", file: "" };
}
