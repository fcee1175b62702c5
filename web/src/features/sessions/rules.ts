/** Where to go after signing in: a page of ours that was asked for, or the first one. Never another host. */
export function localPath(wanted: unknown): string {
  if (typeof wanted !== "string" || !wanted.startsWith("/")) return "/";
  const url = URL.parse(wanted, "http://here.invalid");
  if (!url) return "/";
  const target = `${url.pathname}${url.search}${url.hash}`;
  return url.host === "here.invalid" && !target.startsWith("//") ? target : "/";
}
