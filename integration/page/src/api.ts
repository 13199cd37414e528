// Asks the tool. An analysis that is not prepared yet answers 202 with a task;
// `ask` waits for the task and asks again, so callers see one answer or one fault.
import { session } from './session';

export class Refusal extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

async function answered(response: Response): Promise<unknown> {
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    throw new Refusal(`heaptally answered ${response.status} without a reason.`, response.status);
  }
  if (response.ok) return body;
  const sentence = (body as { error?: string }).error;
  throw new Refusal(sentence ?? `heaptally answered ${response.status}.`, response.status);
}

async function request(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(`api/${path}`, { cache: 'no-store', ...init });
  } catch (fault) {
    if ((fault as Error).name === 'AbortError') throw fault;
    throw new Refusal('heaptally does not answer: it has ended, or this address is an old one.', 0);
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await answered(await request(path, { signal: signal ?? null }))) as T;
}

export async function post<T>(path: string, body: object = {}): Promise<T> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  return (await answered(await request(path, init))) as T;
}

export async function upload(file: File): Promise<{ task: string }> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: file,
  };
  const path = `upload?name=${encodeURIComponent(file.name)}`;
  return (await answered(await request(path, init))) as { task: string };
}

/** Waits until the task is over or forgotten; a fault if it failed or was cancelled. */
async function taskOver(id: string, signal: AbortSignal): Promise<void> {
  session.hurry();
  for (;;) {
    await session.next(signal);
    const task = session.value.state?.tasks.find((one) => one.id === id);
    if (session.value.lost) throw new Refusal(session.value.lost, 0);
    if (!task || task.state === 'done') return;
    if (task.state === 'failed') throw new Refusal(task.error ?? 'The analysis failed.', 500);
    if (task.state === 'cancelled') throw new Refusal('Cancelled.', 499);
  }
}

/** An analysis. `onTask` hears the id of the task that prepares it, if one does. */
export async function ask<T>(
  path: string,
  signal: AbortSignal,
  onTask?: (task: string | null) => void,
): Promise<T> {
  for (;;) {
    const response = await request(path, { signal });
    if (response.status !== 202) {
      onTask?.(null);
      return (await answered(response)) as T;
    }
    const { task } = (await answered(response)) as { task: string };
    onTask?.(task);
    await taskOver(task, signal);
  }
}
