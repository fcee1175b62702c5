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
import { withBase } from "@/api/basePath";

import { afterAnswer, afterNews, type Frame, frameOf, type LiveTask, retryDelayOf, UNHEARD } from "./rules";

/** Failed attempts before tasks are polled until the socket reconnects. */
const TRIES_BEFORE_ASKING = 2;
const ASKING_PAUSE = 2_000;
/** Responses that polling cannot fix: signed out, forbidden, not found. */
const FINAL = [401, 403, 404];
/** How long an unused socket is kept, because the next page may need it. */
const IDLE_PAUSE = 5_000;

interface Watched {
  task: ShallowRef<LiveTask>;
  watchers: number;
}

/**
 * The one web socket for all watched tasks. It opens when a task is watched, reconnects by itself and resumes all
 * unfinished tasks. While it cannot connect, tasks are polled every two seconds.
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

  /** Reconnect at once: the network is back, and the old connection may be dead without notice. */
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
    const address = new URL(withBase("/api/v1/task"), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.socket = socket;
    // An abandoned socket may still deliver messages, which belong to no current connection.
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
    }, retryDelayOf(this.failures));
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
        return this.end(id, {
          error: { title: error.title, description: error.detail, code: error.type, parameters: {} },
        });
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

/** Watch tasks for the lifetime of the component. */
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

/** Watch one task for the lifetime of the component; null watches nothing. */
export function useTask(id: MaybeRefOrGetter<string | null | undefined>): Readonly<LiveTask> {
  const tasks = useTasks(() => [toValue(id)].filter((known) => known != null));
  return toReactive(computed(() => [...tasks.value.values()].at(0) ?? UNHEARD));
}
