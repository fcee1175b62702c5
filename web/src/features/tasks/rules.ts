import type { TaskAnswer, TaskError } from "@/api";

/** One line of what a task tells while it works. */
export interface LogLine {
  level: string;
  timestamp: string;
  message: string;
}

/** What is known of a watched task. `connected` tells whether news of it come at this moment. */
export interface LiveTask {
  name: string;
  progress: number;
  success: boolean;
  error: TaskError | null;
  log: readonly LogLine[];
  ended: boolean;
  connected: boolean;
}

/** What the web socket says of a task: the whole log if `reset`, else what is new of it. */
export interface TaskNews extends Pick<TaskAnswer, "id" | "name" | "success" | "progress" | "error" | "log"> {
  reset: boolean;
}

/** One message of the web socket (`/api/v1/task`). */
export type Frame =
  | { kind: "ready" }
  | { kind: "unauthenticated" }
  | { kind: "news"; news: TaskNews }
  | { kind: "over"; id: string }
  | { kind: "refused"; id: string; error: TaskError }
  | { kind: "unknown" };

export const UNHEARD: LiveTask = Object.freeze({
  name: "",
  progress: 0,
  success: false,
  error: null,
  log: [],
  ended: false,
  connected: false,
});

/** Read a message of the web socket; one that makes no sense is `unknown` and changes nothing. */
export function frameOf(text: string): Frame {
  if (text === "connect") return { kind: "ready" };
  if (text === "unauthenticated") return { kind: "unauthenticated" };
  if (text.startsWith("{")) return newsOf(text);
  const [word, id, title, ...description] = text.split("/");
  if (word === "disconnect" && id) return { kind: "over", id };
  if (word === "error" && id)
    return { kind: "refused", id, error: { title: title ?? "", description: description.join("/") } };
  return { kind: "unknown" };
}

function newsOf(text: string): Frame {
  const news = parsed(text);
  return isNews(news) ? { kind: "news", news } : { kind: "unknown" };
}

function isNews(value: unknown): value is TaskNews {
  return typeof value === "object" && value !== null && "id" in value && "log" in value && Array.isArray(value.log);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A line of the log as the service writes it: JSON; anything else is a message as it stands. */
export function lineOf(text: string): LogLine {
  const line = parsed(text);
  if (typeof line === "object" && line !== null && "message" in line) return line as LogLine;
  return { level: "info", timestamp: "", message: text };
}

/** A task after news of it. Progress never falls, also when messages cross. */
export function afterNews(task: LiveTask, news: TaskNews): LiveTask {
  const lines = news.log.map(lineOf);
  return {
    ...task,
    name: news.name,
    success: news.success,
    progress: Math.max(task.progress, news.progress),
    error: news.error,
    log: news.reset ? lines : lines.length ? [...task.log, ...lines] : task.log,
    connected: true,
  };
}

/** A task as an answer to a question tells it, with its whole log. */
export function afterAnswer(task: LiveTask, answer: TaskAnswer): LiveTask {
  return { ...afterNews(task, { ...answer, reset: true }), ended: answer.ended !== null };
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** Milliseconds until the next try after so many failures: twice as long each time, and never all browsers at once. */
export function pauseBefore(failures: number, chance: number = Math.random()): number {
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
  return Math.round(longest / 2 + (longest / 2) * chance);
}

/** How a task stands, in one word. */
export type Standing = "waiting" | "working" | "done" | "failed";

export function standingOf(task: Pick<LiveTask, "ended" | "success" | "progress" | "log">): Standing {
  if (task.ended) return task.success ? "done" : "failed";
  return task.progress > 0 || task.log.length ? "working" : "waiting";
}

export function levelOf(line: Pick<LogLine, "level">): "info" | "warning" | "error" {
  if (["error", "critical", "fatal"].includes(line.level)) return "error";
  return line.level.startsWith("warn") ? "warning" : "info";
}

/** How a task ended. One that was cancelled did not fail, somebody wanted that. */
export const OUTCOMES = ["done", "failed", "cancelled"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function outcomeOf(task: Pick<TaskAnswer, "success" | "cancelled">): Outcome {
  if (task.success) return "done";
  return task.cancelled ? "cancelled" : "failed";
}

/** Seconds from a task's beginning to its end, or until now. */
export function secondsOf(task: Pick<TaskAnswer, "started" | "ended">, now: Date = new Date()): number {
  if (!task.started) return 0;
  const end = task.ended ? new Date(task.ended) : now;
  return Math.max(0, (end.getTime() - new Date(task.started).getTime()) / 1000);
}

/** A task of the list, with how it stands by what is known live. */
export interface RunningTask extends TaskAnswer {
  standing: Standing;
}

export function withNews(task: TaskAnswer, live: LiveTask = UNHEARD): RunningTask {
  const listed = task.started ? "working" : "waiting";
  const standing = live.ended || standingOf(live) === "working" ? standingOf(live) : listed;
  return { ...task, standing, progress: Math.max(task.progress, live.progress) };
}

/** Tell whether the list does not know yet what is known live: that a task began, or ended. */
export function isBehind(task: RunningTask): boolean {
  return task.standing === "working" ? !task.started : task.standing !== "waiting";
}

/** How far several tasks are together. */
export function overall(tasks: readonly Pick<TaskAnswer, "progress">[]): number {
  return tasks.length ? tasks.reduce((sum, task) => sum + task.progress, 0) / tasks.length : 0;
}
