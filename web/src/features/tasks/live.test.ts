import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { effectScope, nextTick, ref } from "vue";

/** A socket whose other end is the test. */
class FakeSocket {
  static all: FakeSocket[] = [];
  sent: string[] = [];
  isOpen = true;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.isOpen = false;
    this.onclose?.();
  }
  say(...texts: string[]): void {
    for (const data of texts) this.onmessage?.({ data });
  }
}

const LONG = 60_000;

function news(id: string, progress: number): string {
  return JSON.stringify({
    id,
    name: `Task ${id}`,
    success: progress === 100,
    progress,
    error: null,
    log: [],
    reset: true,
  });
}

async function begin(id: string) {
  const { useTask } = await import("./live");
  const scope = effectScope();
  const watched = ref(id);
  const task = scope.run(() => useTask(watched));
  if (!task) throw new Error("the scope has ended");
  return { task, watched, leave: () => scope.stop() };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network")));
  FakeSocket.all = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("watches all tasks over one socket", async () => {
  const [one, two] = [await begin("a"), await begin("b")];
  const [socket] = FakeSocket.all;
  socket?.say("connect", news("a", 10), news("b", 20));
  expect(FakeSocket.all).toHaveLength(1);
  expect(socket?.sent).toEqual(["connect/a", "connect/b"]);
  expect([one.task.progress, two.task.progress]).toEqual([10, 20]);
});

it("unsubscribes when the last watcher is gone", async () => {
  const [one, two] = [await begin("a"), await begin("a")];
  const [socket] = FakeSocket.all;
  socket?.say("connect");
  one.leave();
  expect(socket?.sent).toEqual(["connect/a"]);
  two.leave();
  expect(socket?.sent).toEqual(["connect/a", "disconnect/a"]);
});

it("resumes unfinished tasks when the socket reconnects", async () => {
  const [one, two] = [await begin("a"), await begin("b")];
  FakeSocket.all[0]?.say("connect", news("a", 100), "disconnect/a", news("b", 20));
  FakeSocket.all[0]?.close();
  expect(one.task.ended).toBe(true);
  expect(two.task.connected).toBe(false);
  await vi.advanceTimersByTimeAsync(LONG);
  FakeSocket.all[1]?.say("connect", news("b", 30));
  expect(FakeSocket.all[1]?.sent).toEqual(["connect/b"]);
  expect(two.task).toMatchObject({ progress: 30, connected: true });
});

it("polls tasks while there is no socket", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    asked.push(new URL(request.url).pathname);
    const task = { ...JSON.parse(news("a", 40)), taskGroup: "import:game", started: null, ended: null };
    return Promise.resolve(Response.json(task));
  });
  const { task } = await begin("a");
  FakeSocket.all[0]?.close();
  await vi.advanceTimersByTimeAsync(LONG);
  FakeSocket.all[1]?.close();
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual(["/api/v1/task/a"]);
  expect(task).toMatchObject({ progress: 40, connected: true });
});

it("reports why a task cannot be watched", async () => {
  const { task } = await begin("a");
  FakeSocket.all[0]?.say("connect", "error/a/Task unknown/There is no task with this id.");
  expect(task).toMatchObject({ ended: true, error: { title: "Task unknown" } });
});

it("switches to another task", async () => {
  const { task, watched } = await begin("a");
  FakeSocket.all[0]?.say("connect", news("a", 10));
  watched.value = "b";
  await nextTick();
  FakeSocket.all[0]?.say(news("b", 70));
  expect(FakeSocket.all[0]?.sent).toEqual(["connect/a", "connect/b", "disconnect/a"]);
  expect(task).toMatchObject({ name: "Task b", progress: 70 });
});

it("closes the socket some time after the last task", async () => {
  const { leave } = await begin("a");
  leave();
  await vi.advanceTimersByTimeAsync(LONG);
  expect(FakeSocket.all.map((socket) => socket.isOpen)).toEqual([false]);
});

it("ignores messages of an abandoned socket", async () => {
  const { task } = await begin("a");
  window.dispatchEvent(new Event("online"));
  FakeSocket.all[0]?.say("connect", news("a", 10));
  expect(FakeSocket.all.flatMap((socket) => socket.sent)).toEqual([]);
  expect(task.name).toBe("");
});
