import type { EventType } from "@/api";

/** All types of events. */
export const EVENT_TYPES: readonly EventType[] = [
  "game.added",
  "version.added",
  "version.damaged",
  "version.missing",
  "files.added",
  "task.failed",
  "task.waiting",
  "folders.found",
  "version.found",
  "version.imported",
  "library.unavailable",
  "disk.low",
  "news.published",
  "request.added",
  "request.answered",
  "request.done",
];

/** The key of the texts of a type. */
export function keyOf(type: string): string {
  return type.replace(".", "-");
}
