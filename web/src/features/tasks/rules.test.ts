import { describe, expect, it } from "vitest";

import {
  afterAnswer,
  afterNews,
  frameOf,
  isBehind,
  levelOf,
  lineOf,
  outcomeOf,
  overall,
  pauseBefore,
  secondsOf,
  standingOf,
  type TaskNews,
  UNHEARD,
  withNews,
} from "./rules";

function line(message: string): string {
  return JSON.stringify({ level: "info", timestamp: "2026-11-20T05:38:00.000Z", message });
}

function news(changes: Partial<TaskNews> = {}): TaskNews {
  return {
    id: "a",
    name: "Import Quake",
    success: false,
    progress: 10,
    error: null,
    log: [],
    reset: false,
    ...changes,
  };
}

describe("messages of the socket", () => {
  it("opens, and closes for strangers", () => {
    expect(frameOf("connect")).toEqual({ kind: "ready" });
    expect(frameOf("unauthenticated")).toEqual({ kind: "unauthenticated" });
  });

  it("tells news of a task", () => {
    expect(frameOf(JSON.stringify(news()))).toEqual({ kind: "news", news: news() });
  });

  it("says when a task is over", () => {
    expect(frameOf("disconnect/a-1")).toEqual({ kind: "over", id: "a-1" });
  });

  it("keeps slashes in the text of a refusal", () => {
    const error = { title: "Task unknown", description: "Not here and/or not yours." };
    expect(frameOf("error/a/Task unknown/Not here and/or not yours.")).toEqual({ kind: "refused", id: "a", error });
  });

  it.each(["", "{", "{}", "null", "disconnect/", "hello"])("lets nonsense pass: %s", (text) => {
    expect(frameOf(text)).toEqual({ kind: "unknown" });
  });
});

describe("what is known of a task", () => {
  it("grows by new lines", () => {
    const once = afterNews(UNHEARD, news({ log: [line("one")], reset: true }));
    const twice = afterNews(once, news({ log: [line("two")] }));
    expect(twice.log.map((each) => each.message)).toEqual(["one", "two"]);
  });

  it("begins anew after the connection came back", () => {
    const before = afterNews(UNHEARD, news({ log: [line("one"), line("two")], reset: true }));
    expect(afterNews({ ...before, connected: false }, news({ log: [line("one")], reset: true }))).toMatchObject({
      log: [{ message: "one" }],
      connected: true,
    });
  });

  it("keeps the same log while nothing is said, so that nothing is drawn again", () => {
    const before = afterNews(UNHEARD, news({ log: [line("one")], reset: true }));
    expect(afterNews(before, news({ progress: 20 })).log).toBe(before.log);
  });

  it("never falls back", () => {
    expect(afterNews({ ...UNHEARD, progress: 50 }, news({ progress: 40 })).progress).toBe(50);
  });

  it("has ended when an answer gives the moment", () => {
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

  it("takes a line that is no JSON as it stands", () => {
    expect(lineOf("plain words").message).toBe("plain words");
  });
});

it("stands in one word", () => {
  expect(standingOf(UNHEARD)).toBe("waiting");
  expect(standingOf({ ...UNHEARD, progress: 1 })).toBe("working");
  expect(standingOf({ ...UNHEARD, ended: true })).toBe("failed");
  expect(standingOf({ ...UNHEARD, ended: true, success: true })).toBe("done");
});

describe("a task of the list", () => {
  const listed = { ...news(), taskGroup: "import:game", cancelled: false, started: null, ended: null };

  it("runs as soon as the socket says so", () => {
    const task = withNews(listed, { ...UNHEARD, progress: 20 });
    expect(task).toMatchObject({ standing: "working", progress: 20 });
    expect(isBehind(task)).toBe(true);
    expect(isBehind({ ...task, started: "2026-11-20T05:38:00.000Z" })).toBe(false);
  });

  it("waits as long as nothing else is known", () => {
    expect(withNews(listed).standing).toBe("waiting");
    expect(isBehind(withNews(listed))).toBe(false);
  });

  it("has ended before the list knows", () => {
    const task = withNews(listed, { ...UNHEARD, ended: true, success: true });
    expect(task.standing).toBe("done");
    expect(isBehind(task)).toBe(true);
  });
});

it("is told how far several are together", () => {
  expect(overall([{ progress: 20 }, { progress: 60 }])).toBe(40);
  expect(overall([])).toBe(0);
});

it("waits longer with every failure, at most half a minute, and not all at once", () => {
  expect(pauseBefore(0, 1)).toBe(500);
  expect(pauseBefore(3, 1)).toBe(4000);
  expect(pauseBefore(20, 1)).toBe(30_000);
  expect(pauseBefore(3, 0)).toBe(2000);
});

it("knows three levels", () => {
  expect([levelOf({ level: "warn" }), levelOf({ level: "error" }), levelOf({ level: "debug" })]).toEqual([
    "warning",
    "error",
    "info",
  ]);
});

it("tells what was cancelled from what failed", () => {
  expect(outcomeOf({ success: true, cancelled: false })).toBe("done");
  expect(outcomeOf({ success: true, cancelled: true })).toBe("done");
  expect(outcomeOf({ success: false, cancelled: true })).toBe("cancelled");
  expect(outcomeOf({ success: false, cancelled: false })).toBe("failed");
});

it("counts the seconds that a task took, or takes so far", () => {
  const started = "2026-11-20T05:38:00.000Z";
  expect(secondsOf({ started, ended: "2026-11-20T05:39:00.000Z" })).toBe(60);
  expect(secondsOf({ started, ended: null }, new Date("2026-11-20T05:38:05.000Z"))).toBe(5);
  expect(secondsOf({ started: null, ended: null })).toBe(0);
});
