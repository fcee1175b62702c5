/** The target of a link: a version's content, an archive, or one file. */
export type Target = { kind: "content" | "archive"; file: "" } | { kind: "file"; file: string };

/** Read the target of a link from its path. */
export function readTarget(path: string): Target {
  const [, rest = ""] = /^\/api\/v1\/versions\/[^/]+\/(.*)$/s.exec(path) ?? [];
  if (rest.startsWith("files/")) return { kind: "file", file: rest.slice("files/".length) };
  return { kind: rest === "archive.zip" ? "archive" : "content", file: "" };
}
