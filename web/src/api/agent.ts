/**
 * The interface of the app (`playdock-client app`), which shows these pages and passes their other requests on to the
 * server. In a browser there is none.
 */
import type { Platform } from "./generated";

const mark = document.querySelector<HTMLMetaElement>('meta[name="playdock-client"]');

/** Whether the app shows the pages. */
export const IS_APP = mark !== null;

export interface AgentVersion {
  id: string;
  name: string;
  platform: Platform;
  installedSize: number;
}

export interface InstalledGame {
  game: string;
  name: string;
  folder: string;
  state: "installed" | "unfinished" | "missing" | "unknown";
  version: AgentVersion | null;
  newest: AgentVersion | null;
  problem: string;
}

export interface AgentProblem {
  code: string;
  detail: string;
}

export interface Job {
  id: string;
  kind: "install" | "update" | "adopt" | "repair" | "verify" | "move" | "prepare" | "uninstall";
  game: { id: string; name: string };
  state: "waiting" | "running" | "paused" | "failed" | "done";
  automatic: boolean;
  problem: AgentProblem | null;
  checked: { missing: number; damaged: number } | null;
  progress: { phase: string; done: number; total: number; speed: number; left: number | null } | null;
}

export interface AgentSettings {
  limitRate: number | null;
  pauseWhilePlaying: boolean;
  hours: { start: string; end: string } | null;
  automaticUpdates: boolean;
  updateClient: boolean;
  automaticUpdatesOf: Record<string, boolean>;
}

/** A newer version of the app. With `manual` the player must install it. `failed` is one that did not start. */
export interface ClientUpdate {
  phase: "none" | "available" | "downloading" | "ready";
  version: string | null;
  problem: AgentProblem | null;
  failed: string | null;
  manual: boolean;
}

export interface GameFolder {
  id: string;
  path: string;
  free: number | null;
}

/** What is known of an installed game besides its files. */
export interface GameDetails {
  shortcuts: ShortcutPlace[];
  steam: boolean;
  properties: {
    program: string;
    arguments: string;
    environment: Record<string, string>;
    proton: string;
    compatId: string;
    store: string;
  };
  missing: { kind: string; message: string }[];
}

export type ShortcutPlace = "menu" | "desktop";

export interface AgentState {
  version: string;
  server: string;
  platform: Platform;
  runs: Platform[];
  online: boolean;
  games: InstalledGame[];
  jobs: Job[];
  hold: "playing" | "hours" | null;
  running: { game: string; started: string }[];
  starting: string[];
  played: { game: string; seconds: number; last: string }[];
  launchProblems: { game: string; status: number | null; detail: string; output: string[] }[];
  settings: AgentSettings;
  clientUpdate: ClientUpdate;
  folders: GameFolder[];
}

const PREFIX = "/_client/v1";

/** Send a call to the app, and return its answer. Throws a problem document, as the server's calls do. */
export async function callAgent<T = null>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${PREFIX}/${path}`, {
    method,
    headers: { "Content-Type": "application/json", "Playdock-Client": "1" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw answer;
  return answer as T;
}

/**
 * Receive the state whenever it changes; `lost` is called while the app does not respond. `open` receives the path of a
 * page that was opened from elsewhere, such as by a link, while this window was open.
 */
export function followAgent(
  receive: (state: AgentState) => void,
  lost: () => void,
  open: (path: string) => void,
): void {
  const events = new EventSource(`${PREFIX}/events`);
  events.onmessage = (event) => {
    receive(JSON.parse(String(event.data)) as AgentState);
  };
  events.onerror = lost;
  events.addEventListener("open", (event) => {
    if (event instanceof MessageEvent) open(JSON.parse(String(event.data)) as string);
  });
}
