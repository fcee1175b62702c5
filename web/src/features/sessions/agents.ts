// The first match wins: Edge and Opera also claim to be Chrome, and Chrome claims to be Safari.
const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:SamsungBrowser)\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;
const SYSTEMS = [
  [/\b(?:iPhone|iPad|iPod)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
] as const;
const PHONES = new Set(["iOS", "Android"]);

/** The browser and its system; for other programs the name they send. */
export interface Agent {
  browser: string;
  system: string;
  isPhone: boolean;
}

/** Parse a `User-Agent`; unknown parts are empty. */
export function readAgent(header: string): Agent {
  const system = nameIn(SYSTEMS, header);
  const program = /^[\w.+-]+/.exec(header)?.[0] ?? "";
  const browser = nameIn(BROWSERS, header) || (program === "Mozilla" ? "" : program);
  return { browser, system, isPhone: PHONES.has(system) };
}

function nameIn(known: readonly (readonly [RegExp, string])[], header: string): string {
  return known.find(([mark]) => mark.test(header))?.[1] ?? "";
}
