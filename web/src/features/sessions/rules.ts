/** The page to open after signing in: the requested one, or the front page. Never another host. */
export function localPath(wanted: unknown): string {
  if (typeof wanted !== "string" || !wanted.startsWith("/")) return "/";
  const url = URL.parse(wanted, "http://here.invalid");
  if (!url) return "/";
  const target = `${url.pathname}${url.search}${url.hash}`;
  return url.host === "here.invalid" && !target.startsWith("//") ? target : "/";
}
