import { promiseTimeout, toReactive } from "@vueuse/core";
import {
  computed,
  type ComputedRef,
  type MaybeRefOrGetter,
  onScopeDispose,
  type ShallowRef,
  shallowRef,
  toValue,
  watch,
} from "vue";

import { isProblem, showTask } from "@/api";

import { afterAnswer, afterNews, type Frame, frameOf, type LiveTask, pauseBefore, UNHEARD } from "./rules";

/** Failed tries after which tasks are asked for one by one until the socket can be had again. */
const TRIES_BEFORE_ASKING = 2;
const ASKING_PAUSE = 2_000;
/** Answers after which asking again is in vain: signed out, not allowed, not there. */
const FINAL = [401, 403, 404];
/** How long a socket that nobody needs is kept: the next page may need it. */
const IDLE_PAUSE = 5_000;

interface Watched {
  task: ShallowRef<LiveTask>;
  watchers: number;
}

/**
 * The one web socket of all watched tasks (decisions 6). It is opened when a task is watched, comes back by itself and
 * goes on with all tasks that have not ended. While it cannot be had, tasks are asked for every two seconds.
 */
class LiveTasks {
  private readonly watched = new Map<string, Watched>();
  private socket: WebSocket | undefined;
  private ready = false;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private isAsking = false;
  private idle: ReturnType<typeof setTimeout> | undefined;

  watch(id: string): ShallowRef<LiveTask> {
    const known = this.watched.get(id);
    if (known) {
      known.watchers += 1;
      return known.task;
    }
    const task = shallowRef(UNHEARD);
    this.watched.set(id, { task, watchers: 1 });
    this.open();
    if (this.ready) this.socket?.send(`connect/${id}`);
    return task;
  }

  leave(id: string): void {
    const known = this.watched.get(id);
    if (!known || --known.watchers) return;
    this.watched.delete(id);
    if (this.ready && !known.task.value.ended) this.socket?.send(`disconnect/${id}`);
    this.closeWhenIdle();
  }

  /** Begin anew at once: the network is back, and what was open before may be dead without knowing. */
  wake(): void {
    if (!this.unended().length) return;
    this.drop();
    this.open();
  }

  private unended(): [string, Watched][] {
    return [...this.watched].filter(([, { task }]) => !task.value.ended);
  }

  private open(): void {
    clearTimeout(this.idle);
    if (this.socket) return;
    clearTimeout(this.retry);
    const address = new URL("/api/v1/task", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.socket = socket;
    // One that was dropped may still have something to say; it is not this one that would be answered.
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.socket) this.take(frameOf(event.data));
    };
    socket.onclose = () => {
      if (socket === this.socket) this.lost();
    };
  }

  private take(frame: Frame): void {
    if (frame.kind === "ready") return this.resume();
    if (frame.kind === "news") return this.change(frame.news.id, (task) => afterNews(task, frame.news));
    if (frame.kind === "over") return this.end(frame.id, {});
    if (frame.kind === "refused") return this.end(frame.id, { error: frame.error });
  }

  private resume(): void {
    this.ready = true;
    this.failures = 0;
    for (const [id] of this.unended()) this.socket?.send(`connect/${id}`);
  }

  private change(id: string, change: (task: LiveTask) => LiveTask): void {
    const known = this.watched.get(id);
    if (known) known.task.value = change(known.task.value);
  }

  private end(id: string, end: Partial<LiveTask>): void {
    this.change(id, (task) => ({ ...task, ...end, ended: true }));
    this.closeWhenIdle();
  }

  private lost(): void {
    this.socket = undefined;
    this.ready = false;
    for (const [id] of this.unended()) this.change(id, (task) => ({ ...task, connected: false }));
    if (!this.unended().length) return;
    this.retry = setTimeout(() => {
      this.open();
    }, pauseBefore(this.failures));
    this.failures += 1;
    if (this.failures >= TRIES_BEFORE_ASKING && !this.isAsking) void this.ask();
  }

  private async ask(): Promise<void> {
    this.isAsking = true;
    while (!this.ready && this.unended().length) {
      await Promise.all(this.unended().map(([id]) => this.askFor(id)));
      await promiseTimeout(ASKING_PAUSE);
    }
    this.isAsking = false;
  }

  private async askFor(id: string): Promise<void> {
    try {
      const { data } = await showTask({ path: { task_id: id }, throwOnError: true });
      this.change(id, (task) => afterAnswer(task, data));
    } catch (error) {
      if (isProblem(error) && FINAL.includes(error.status)) {
        return this.end(id, { error: { title: error.title, description: error.detail } });
      }
      this.change(id, (task) => ({ ...task, connected: false }));
    }
  }

  private closeWhenIdle(): void {
    if (this.unended().length) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.drop();
    }, IDLE_PAUSE);
  }

  private drop(): void {
    clearTimeout(this.retry);
    this.socket?.close();
    this.socket = undefined;
    this.ready = false;
    this.failures = 0;
  }
}

const live = new LiveTasks();
window.addEventListener("online", () => {
  live.wake();
});

/** Watch tasks as long as the component lives: what is known of each, changing as they go on. */
export function useTasks(ids: MaybeRefOrGetter<readonly string[]>): ComputedRef<ReadonlyMap<string, LiveTask>> {
  const held = shallowRef<ReadonlyMap<string, ShallowRef<LiveTask>>>(new Map());
  watch(
    () => [...new Set(toValue(ids))],
    (wanted) => {
      const before = held.value;
      held.value = new Map(wanted.map((id) => [id, live.watch(id)]));
      for (const id of before.keys()) live.leave(id);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    for (const id of held.value.keys()) live.leave(id);
  });
  return computed(() => new Map([...held.value].map(([id, task]) => [id, task.value])));
}

/** Watch one task as long as the component lives; nothing is known of none. */
export function useTask(id: MaybeRefOrGetter<string | null | undefined>): Readonly<LiveTask> {
  const tasks = useTasks(() => [toValue(id)].filter((known) => known != null));
  return toReactive(computed(() => [...tasks.value.values()].at(0) ?? UNHEARD));
}
