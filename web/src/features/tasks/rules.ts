import type { TaskResponse, TaskError } from "@/api";

/** A line of a task's log. */
export interface LogLine extends Partial<Pick<TaskError, "code" | "parameters">> {
  level: string;
  timestamp: string;
  message: string;
}

/** The live state of a watched task. `connected` is whether updates currently arrive. */
export interface LiveTask extends Pick<TaskResponse, "nameCode" | "nameParameters"> {
  name: string;
  progress: number;
  success: boolean;
  error: TaskError | null;
  log: readonly LogLine[];
  ended: boolean;
  connected: boolean;
}

/** An update of a task: the whole log if `reset`, else only new lines. */
export interface TaskUpdate extends Pick<
  TaskResponse,
  "id" | "name" | "nameCode" | "nameParameters" | "success" | "progress" | "error" | "log"
> {
  reset: boolean;
}

/** A message of the web socket (`/api/v1/task`). */
export type Frame =
  | { kind: "ready" }
  | { kind: "unauthenticated" }
  | { kind: "news"; news: TaskUpdate }
  | { kind: "over"; id: string }
  | { kind: "refused"; id: string; error: TaskError }
  | { kind: "unknown" };

export const UNHEARD: LiveTask = Object.freeze({
  name: "",
  nameCode: null,
  nameParameters: {},
  progress: 0,
  success: false,
  error: null,
  log: [],
  ended: false,
  connected: false,
});

/** Parse a message of the web socket; an invalid one is `unknown`. */
export function frameOf(text: string): Frame {
  if (text === "connect") return { kind: "ready" };
  if (text === "unauthenticated") return { kind: "unauthenticated" };
  if (text.startsWith("{")) return newsOf(text);
  const [word, id, title, ...description] = text.split("/");
  if (word === "disconnect" && id) return { kind: "over", id };
  if (word === "error" && id) return { kind: "refused", id, error: refusalOf(title ?? "", description.join("/")) };
  return { kind: "unknown" };
}

/** The error of a refusal; its title has the words of its code. */
function refusalOf(title: string, description: string): TaskError {
  return { title, description, code: title.toLowerCase().replaceAll(" ", "-"), parameters: {} };
}

function newsOf(text: string): Frame {
  const news = parsed(text);
  return isNews(news) ? { kind: "news", news } : { kind: "unknown" };
}

function isNews(value: unknown): value is TaskUpdate {
  return typeof value === "object" && value !== null && "id" in value && "log" in value && Array.isArray(value.log);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parse a log line: JSON, or else plain text. */
export function lineOf(text: string): LogLine {
  const line = parsed(text);
  if (typeof line === "object" && line !== null && "message" in line) return line as LogLine;
  return { level: "info", timestamp: "", message: text };
}

/** Apply an update to a task. Progress never decreases, even if messages arrive out of order. */
export function afterNews(task: LiveTask, news: TaskUpdate): LiveTask {
  const lines = news.log.map(lineOf);
  return {
    ...task,
    name: news.name,
    nameCode: news.nameCode,
    nameParameters: news.nameParameters,
    success: news.success,
    progress: Math.max(task.progress, news.progress),
    error: news.error,
    log: news.reset ? lines : lines.length ? [...task.log, ...lines] : task.log,
    connected: true,
  };
}

/** The state of a task from an API response, with its whole log. */
export function afterAnswer(task: LiveTask, answer: TaskResponse): LiveTask {
  return { ...afterNews(task, { ...answer, reset: true }), ended: answer.ended !== null };
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * The delay before the next attempt in milliseconds: exponential, with jitter so that browsers do not reconnect
 * together.
 */
export function retryDelayOf(failures: number, chance: number = Math.random()): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
  return Math.round(longest / 2 + (longest / 2) * chance);
}

/** The status of a task. */
export type TaskStatus = "waiting" | "working" | "done" | "failed" | "cancelled";

export function taskStatusOf(task: Pick<LiveTask, "ended" | "success" | "progress" | "log" | "error">): TaskStatus {
  if (task.ended) return outcomeOf({ success: task.success, cancelled: task.error?.code === "cancelled" });
  return task.progress > 0 || task.log.length ? "working" : "waiting";
}

export function levelOf(line: Pick<LogLine, "level">): "info" | "warning" | "error" {
  if (["error", "critical", "fatal"].includes(line.level)) return "error";
  return line.level.startsWith("warn") ? "warning" : "info";
}

/** The kind of work: `import` for an import of a game, of a version, or of many. */
export function kindOf(task: Pick<TaskResponse, "taskGroup">): string {
  return task.taskGroup.replace(/:.*/, "");
}

/** The types of tasks that start other imports. */
const IMPORT_RUNS: readonly string[] = ["import:run", "import:versions"];

/** Leave out the imports of single games and versions if a run is among the tasks, because it started them. */
export function withoutParts<T extends Pick<TaskResponse, "taskGroup">>(tasks: readonly T[]): T[] {
  const hasRun = tasks.some((task) => IMPORT_RUNS.includes(task.taskGroup));
  return tasks.filter((task) => !hasRun || kindOf(task) !== "import" || IMPORT_RUNS.includes(task.taskGroup));
}

/** The outcome of a task. A cancelled task has not failed. */
export const OUTCOMES = ["done", "failed", "cancelled"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function outcomeOf(task: Pick<TaskResponse, "success" | "cancelled">): Outcome {
  if (task.success) return "done";
  return task.cancelled ? "cancelled" : "failed";
}

/** The seconds from a task's start to its end, or until now. */
export function secondsOf(task: Pick<TaskResponse, "started" | "ended">, now: Date = new Date()): number {
  if (!task.started) return 0;
  const end = task.ended ? new Date(task.ended) : now;
  return Math.max(0, (end.getTime() - new Date(task.started).getTime()) / 1000);
}

/** A listed task with its live status. */
export interface RunningTask extends TaskResponse {
  status: TaskStatus;
}

export function applyUpdate(task: TaskResponse, live: LiveTask = UNHEARD): RunningTask {
  const listed = task.started ? "working" : "waiting";
  const status = live.ended || taskStatusOf(live) === "working" ? taskStatusOf(live) : listed;
  return { ...task, status, progress: Math.max(task.progress, live.progress) };
}

/** Return whether the live state is ahead of the list: a task has started or ended. */
export function isBehind(task: RunningTask): boolean {
  return task.status === "working" ? !task.started : task.status !== "waiting";
}

/** The overall progress of several tasks. */
export function overall(tasks: readonly Pick<TaskResponse, "progress">[]): number {
  return tasks.length ? tasks.reduce((sum, task) => sum + task.progress, 0) / tasks.length : 0;
}
