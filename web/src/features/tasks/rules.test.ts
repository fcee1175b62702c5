import { describe, expect, it } from "vitest";

import {
  afterAnswer,
  afterNews,
  frameOf,
  isBehind,
  kindOf,
  levelOf,
  lineOf,
  outcomeOf,
  overall,
  retryDelayOf,
  secondsOf,
  taskStatusOf,
  type TaskUpdate,
  UNHEARD,
  applyUpdate,
  withoutParts,
} from "./rules";

function line(message: string): string {
  return JSON.stringify({ level: "info", timestamp: "2026-11-20T05:38:00.000Z", message });
}

function news(changes: Partial<TaskUpdate> = {}): TaskUpdate {
  return {
    id: "a",
    name: "Import Quake",
    nameCode: null,
    nameParameters: {},
    success: false,
    progress: 10,
    error: null,
    log: [],
    reset: false,
    ...changes,
  };
}

describe("socket messages", () => {
  it("connect, and disconnect without permission", () => {
    expect(frameOf("connect")).toEqual({ kind: "ready" });
    expect(frameOf("unauthenticated")).toEqual({ kind: "unauthenticated" });
  });

  it("contain updates of a task", () => {
    expect(frameOf(JSON.stringify(news()))).toEqual({ kind: "news", news: news() });
  });

  it("end a task", () => {
    expect(frameOf("disconnect/a-1")).toEqual({ kind: "over", id: "a-1" });
  });

  it("may have slashes in the text of a refusal", () => {
    const error = {
      title: "Task unknown",
      description: "Not here and/or not yours.",
      code: "task-unknown",
      parameters: {},
    };
    expect(frameOf("error/a/Task unknown/Not here and/or not yours.")).toEqual({ kind: "refused", id: "a", error });
  });

  it.each(["", "{", "{}", "null", "disconnect/", "hello"])("are ignored when invalid: %s", (text) => {
    expect(frameOf(text)).toEqual({ kind: "unknown" });
  });
});

describe("the state of a task", () => {
  it("gains new log lines", () => {
    const once = afterNews(UNHEARD, news({ log: [line("one")], reset: true }));
    const twice = afterNews(once, news({ log: [line("two")] }));
    expect(twice.log.map((each) => each.message)).toEqual(["one", "two"]);
  });

  it("is reset after a reconnect", () => {
    const before = afterNews(UNHEARD, news({ log: [line("one"), line("two")], reset: true }));
    expect(afterNews({ ...before, connected: false }, news({ log: [line("one")], reset: true }))).toMatchObject({
      log: [{ message: "one" }],
      connected: true,
    });
  });

  it("keeps the same log array without new lines, which avoids rendering", () => {
    const before = afterNews(UNHEARD, news({ log: [line("one")], reset: true }));
    expect(afterNews(before, news({ progress: 20 })).log).toBe(before.log);
  });

  it("never decreases its progress", () => {
    expect(afterNews({ ...UNHEARD, progress: 50 }, news({ progress: 40 })).progress).toBe(50);
  });

  it("has ended when the response has an end time", () => {
    const answer = {
      ...news(),
      taskGroup: "import:game",
      cancelled: false,
      started: null,
      ended: "2026-11-20T05:38:00.000Z",
    };
    expect(afterAnswer(UNHEARD, answer).ended).toBe(true);
    expect(afterAnswer(UNHEARD, { ...answer, ended: null }).ended).toBe(false);
  });

  it("keeps a line that is not JSON as text", () => {
    expect(lineOf("plain words").message).toBe("plain words");
  });
});

it("has a status", () => {
  expect(taskStatusOf(UNHEARD)).toBe("waiting");
  expect(taskStatusOf({ ...UNHEARD, progress: 1 })).toBe("working");
  expect(taskStatusOf({ ...UNHEARD, ended: true })).toBe("failed");
  expect(taskStatusOf({ ...UNHEARD, ended: true, success: true })).toBe("done");
  const error = { title: "Cancelled", description: "It was cancelled.", code: "cancelled", parameters: {} };
  expect(taskStatusOf({ ...UNHEARD, ended: true, error })).toBe("cancelled");
});

describe("a listed task", () => {
  const listed = { ...news(), taskGroup: "import:game", cancelled: false, started: null, ended: null };

  it("runs as soon as the socket reports it", () => {
    const task = applyUpdate(listed, { ...UNHEARD, progress: 20 });
    expect(task).toMatchObject({ status: "working", progress: 20 });
    expect(isBehind(task)).toBe(true);
    expect(isBehind({ ...task, started: "2026-11-20T05:38:00.000Z" })).toBe(false);
  });

  it("is queued without live state", () => {
    expect(applyUpdate(listed).status).toBe("waiting");
    expect(isBehind(applyUpdate(listed))).toBe(false);
  });

  it("has ended before the list is updated", () => {
    const task = applyUpdate(listed, { ...UNHEARD, ended: true, success: true });
    expect(task.status).toBe("done");
    expect(isBehind(task)).toBe(true);
  });
});

it("contributes to the overall progress", () => {
  expect(overall([{ progress: 20 }, { progress: 60 }])).toBe(40);
  expect(overall([])).toBe(0);
});

it("the retry delay grows up to half a minute, with jitter", () => {
  expect(retryDelayOf(0, 1)).toBe(500);
  expect(retryDelayOf(3, 1)).toBe(4000);
  expect(retryDelayOf(20, 1)).toBe(30_000);
  expect(retryDelayOf(3, 0)).toBe(2000);
});

it("there are three log levels", () => {
  expect([levelOf({ level: "warn" }), levelOf({ level: "error" }), levelOf({ level: "debug" })]).toEqual([
    "warning",
    "error",
    "info",
  ]);
});

it("cancelled tasks are distinguished from failed ones", () => {
  expect(outcomeOf({ success: true, cancelled: false })).toBe("done");
  expect(outcomeOf({ success: true, cancelled: true })).toBe("done");
  expect(outcomeOf({ success: false, cancelled: true })).toBe("cancelled");
  expect(outcomeOf({ success: false, cancelled: false })).toBe("failed");
});

it("the duration counts until the end, or until now", () => {
  const started = "2026-11-20T05:38:00.000Z";
  expect(secondsOf({ started, ended: "2026-11-20T05:39:00.000Z" })).toBe(60);
  expect(secondsOf({ started, ended: null }, new Date("2026-11-20T05:38:05.000Z"))).toBe(5);
  expect(secondsOf({ started: null, ended: null })).toBe(0);
});

it.each([
  [
    ["import:version", "import:run", "import:game", "verify:version"],
    ["import:run", "verify:version"],
  ],
  [
    ["import:version", "import:version"],
    ["import:version", "import:version"],
  ],
  [["import:versions", "import:version"], ["import:versions"]],
])("of %j, %j were started by people", (groups, started) => {
  const tasks = groups.map((taskGroup) => ({ taskGroup }));
  expect(withoutParts(tasks).map((task) => task.taskGroup)).toEqual(started);
  expect(tasks.map(kindOf).every((kind) => ["import", "verify"].includes(kind))).toBe(true);
});
