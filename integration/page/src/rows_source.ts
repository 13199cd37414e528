// The rows of one question (snapshot, grouping, filter, order): fetches pages as
// the screen needs them, and the pages around those, so that scrolling meets rows.
import { analysisParameters, isComparison, type Address } from './address';
import { ask } from './api';
import type { Row, Rows, Values } from './api_types';
import { UNIT_INDEX } from './words';
import {
  childPath, listOfPath, missingPages, newList, PAGE_ROWS, parentPath, pathOf, putPage, rowAt,
  type Place, type RowList,
} from './tree_rows';

const CHAIN = 60;
const MOST = 0.6;

function holdsMost(row: Row, whole: Values, asked: Address): boolean {
  if (asked.by !== 'stack') return false;
  const series = isComparison(asked.of) ? 'net' : asked.series;
  const unit = UNIT_INDEX[asked.unit];
  const all = whole[series]?.[unit] ?? 0;
  // Of a net that shrank, a row that shrank: the quotient is positive too.
  return all !== 0 && (row.total[series]?.[unit] ?? 0) / all >= MOST;
}

/** The question without its place: equal for equal rows. */
export function rowsQuestion(state: Address): string {
  const parameters = analysisParameters(state);
  const unknown = state.by === 'size-class' && ['at_peak', 'ever'].includes(state.sort ?? '');
  // Without an order of ours the tool chooses: the largest first, and of a comparison
  // what grew or what shrank, as the whole did.
  if (state.sort && !unknown) {
    parameters.set('sort', state.sort);
    parameters.set('desc', state.desc ? '1' : '0');
  }
  return `rows?${parameters}`;
}

export class RowsSource {
  readonly top: RowList = newList('', 0, null, 0);
  /** The first page's answer: the totals and the sentences. */
  head: Rows | null = null;
  private stopped = new AbortController();
  private fetched = new Set<string>();

  constructor(
    readonly question: string,
    /** The state of the page that these rows answer. */
    readonly asked: Address,
    private onChange: () => void,
  ) {}

  stop(): void {
    this.stopped.abort();
  }

  /** Brings the first page and the rows of `open`; a chain of only rows opens itself. */
  async start(open: string[], onTask: (task: string | null) => void): Promise<void> {
    const answer = await ask<Rows>(this.page('', 0), this.stopped.signal, onTask);
    this.head = answer;
    putPage(this.top, 0, answer.rows, answer.total_rows);
    if (open.length === 0) await this.openChain(this.top, answer.whole);
    const outerFirst = [...open].sort((a, b) => a.length - b.length);
    for (const path of outerFirst) await this.fetchChildren(path);
  }

  /** The places from..to are on the screen: fetches what is missing there and around. */
  need(from: number, to: number): void {
    const around = missingPages(this.top, from - PAGE_ROWS, to + PAGE_ROWS);
    for (const { list, at } of around) void this.fetchPage(list, at);
  }

  /** The paths of all open rows. */
  openPaths(list: RowList = this.top): string[] {
    return [...list.open.values()].flatMap((below) => [below.path, ...this.openPaths(below)]);
  }

  async open(path: string): Promise<void> {
    const list = await this.fetchChildren(path);
    if (list) await this.openChain(list);
    this.onChange();
  }

  close(path: string): void {
    const list = this.listAround(path);
    for (const [at, below] of list?.open ?? []) if (below.path === path) list!.open.delete(at);
    this.onChange();
  }

  private listAround(path: string): RowList | null {
    return listOfPath(this.top, parentPath(path));
  }

  private page(path: string, offset: number): string {
    const place = path === '' ? '' : `&path=${encodeURIComponent(path)}`;
    return `${this.question}${place}&offset=${offset}&limit=${PAGE_ROWS}`;
  }

  private async fetchPage(list: RowList, offset: number): Promise<void> {
    const page = this.page(list.path, offset);
    if (this.fetched.has(page)) return;
    this.fetched.add(page);
    try {
      const answer = await ask<Rows>(page, this.stopped.signal);
      putPage(list, offset, answer.rows, answer.total_rows);
      this.onChange();
    } catch {
      // Asked again when the rows are next on the screen.
      this.fetched.delete(page);
    }
  }

  private async fetchChildren(path: string): Promise<RowList | null> {
    const around = this.listAround(path);
    const at = around?.rows.findIndex((row) => row && childPath(around.path, row.key) === path);
    const row = around && at !== undefined && at >= 0 ? around.rows[at] : undefined;
    if (!around || at === undefined || !row || row.children === 0) return null;
    const answer = await ask<Rows>(this.page(path, 0), this.stopped.signal);
    const list = newList(path, around.depth + 1, row, answer.total_rows);
    putPage(list, 0, answer.rows, answer.total_rows);
    around.open.set(at, list);
    return list;
  }

  /** While a list has but one row, that row is opened too: nobody clicks through those.
   * With `whole`, the values of all, also a first row that holds most of them. */
  private async openChain(from: RowList, whole: Values | null = null): Promise<void> {
    let list: RowList | null = from;
    for (let steps = 0; list && list.total > 0 && steps < CHAIN; steps++) {
      const first: Row | undefined = list.rows[0];
      const opens = list.total === 1 || (first && whole && holdsMost(first, whole, this.asked));
      if (!opens) return;
      const only: Place = { list, at: 0 };
      const path: string | null = pathOf(only);
      list = path === null ? null : await this.fetchChildren(path);
    }
  }

  parentPath(place: Place): string | null {
    return place.list.path === '' ? null : place.list.path;
  }

  placeAt(index: number): Place | null {
    return rowAt(this.top, index);
  }
}
