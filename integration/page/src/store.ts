// A value that components watch. The page has three: the address, the session
// as the tool tells it, and what the page alone knows (dialogs, undo).
import { useEffect, useReducer } from 'preact/hooks';

export class Store<T> {
  private watchers = new Set<() => void>();

  constructor(public value: T) {}

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const watcher of [...this.watchers]) watcher();
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useReducer<number, void>((n) => n + 1, 0);
  useEffect(() => store.watch(redraw), [store]);
  return store.value;
}
