// The session as the tool tells it, asked for each second and faster while a
// task runs. When the tool stops answering, the last state stays and says so.
import type { Entry, Process, State, Task } from './api_types';
import { Store } from './store';

export interface Session {
  state: State | null;
  /** Why there is no newer state, or null. */
  lost: string | null;
}

const CALM_MS = 1000;
const BUSY_MS = 300;

class SessionStore extends Store<Session> {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private heard: (() => void)[] = [];
  private asking = false;

  constructor() {
    super({ state: null, lost: null });
  }

  /** Asks now, without waiting for the next second. */
  hurry(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.poll(), 0);
  }

  /** Resolves with the next answer. */
  next(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new DOMException('stopped', 'AbortError'));
      if (signal?.aborted) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      this.heard.push(resolve);
    });
  }

  private async poll(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      const response = await fetch('api/state', { cache: 'no-store' });
      const body = (await response.json()) as State & { error?: string };
      if (!response.ok) throw new Error(body.error ?? `heaptally answered ${response.status}.`);
      this.set({ state: body, lost: null });
    } catch (fault) {
      const ended = 'heaptally does not answer. What you see stays until the page is closed.';
      // No connection, or an answer that broke off.
      const broken = fault instanceof TypeError || fault instanceof SyntaxError;
      const message = broken ? ended : (fault as Error).message;
      this.set({ state: this.value.state, lost: message });
    }
    this.asking = false;
    const heard = this.heard;
    this.heard = [];
    for (const resolve of heard) resolve();
    const busy = this.value.state?.tasks.some((task) => task.state === 'running');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.poll(), busy ? BUSY_MS : CALM_MS);
  }
}

export const session = new SessionStore();

export function entryById(id: string): Entry | undefined {
  return session.value.state?.entries.find((entry) => entry.id === id);
}

export function taskById(id: string | null): Task | undefined {
  return session.value.state?.tasks.find((task) => task.id === id);
}

/** The process that the strip shows: the chosen one, else the first that runs;
 * none for 0, which means files only. */
export function shownProcess(state: State | null, pid: number | null): Process | null {
  if (!state || pid === 0) return null;
  const chosen = state.processes.find((process) => process.pid === pid);
  if (chosen) return chosen;
  return state.processes.find((process) => !process.gone) ?? state.processes[0] ?? null;
}
