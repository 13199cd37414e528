// The page's state as it stands in the address after #, so that back, forward,
// reload and a copied link give the same picture.
import type { Grouping, Series, Unit } from './api_types';
import { Store } from './store';

export const VIEWS = ['aggregate', 'call-tree', 'tree-map', 'summary'] as const;
export type View = (typeof VIEWS)[number];

export interface Address {
  /** "" nothing chosen yet, "3" a snapshot, "3..5" baseline..comparison */
  of: string;
  /** The process in the strip; null the first that runs, 0 none: files only. */
  pid: number | null;
  view: View;
  by: Grouping;
  filter: string;
  exclude: string;
  regex: boolean;
  series: Series;
  unit: Unit;
  fold: boolean;
  /** Template arguments are written out. */
  full: boolean;
  sort: string | null;
  desc: boolean;
  /** Paths (keys joined by dots): the selected row, the frame zoomed to, the open rows. */
  at: string;
  zoom: string;
  open: string[];
  search: string;
  details: boolean;
}

export const START: Address = {
  of: '',
  pid: null,
  view: 'aggregate',
  by: 'stack',
  filter: '',
  exclude: '',
  regex: false,
  series: 'current',
  unit: 'usable',
  fold: true,
  full: false,
  sort: null,
  desc: true,
  at: '',
  zoom: '',
  open: [],
  search: '',
  details: false,
};

const BYS: readonly string[] = [
  'stack', 'inverted', 'function', 'file', 'line', 'module', 'size-class',
];
const SERIES: readonly string[] = ['current', 'at_peak', 'ever'];
const UNITS: readonly string[] = ['usable', 'requested', 'blocks'];

function oneOf<T extends string>(value: string | null, all: readonly string[], other: T): T {
  return value !== null && all.includes(value) ? (value as T) : other;
}

export function parseAddress(hash: string): Address {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const of = given.get('of') ?? '';
  const pid = given.get('pid') ?? '';
  return {
    of: /^\d+(\.\.\d+)?$/.test(of) ? of : '',
    pid: /^\d+$/.test(pid) ? Number(pid) : null,
    view: oneOf(given.get('view'), VIEWS, START.view),
    by: oneOf(given.get('by'), BYS, START.by),
    filter: given.get('filter') ?? '',
    exclude: given.get('exclude') ?? '',
    regex: given.get('regex') === '1',
    series: oneOf(given.get('series'), SERIES, START.series),
    unit: oneOf(given.get('unit'), UNITS, START.unit),
    fold: given.get('fold') !== '0',
    full: given.get('full') === '1',
    sort: given.get('sort'),
    desc: given.get('desc') !== '0',
    at: given.get('at') ?? '',
    zoom: given.get('zoom') ?? '',
    open: (given.get('open') ?? '').split(',').filter((path) => path !== ''),
    search: given.get('search') ?? '',
    details: given.get('details') === '1',
  };
}

/** Only what differs from the start is written. */
export function formatAddress(address: Address): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(address)) {
    const start = START[name as keyof Address];
    if (Array.isArray(value)) {
      if (value.length > 0) written.set(name, value.join(','));
    } else if (value !== start && value !== null) {
      written.set(name, typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
    }
  }
  // Kept readable where the syntax of a fragment allows it.
  return '#' + written.toString().replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%2F/g, '/');
}

/** What a change to one part of the state means for the others. */
export function changed(address: Address, change: Partial<Address>): Address {
  const next = { ...address, ...change };
  const kind = (of: string): boolean => of.includes('..');
  const sameRows =
    next.of === address.of && next.by === address.by && next.fold === address.fold;
  if (!sameRows) {
    if (change.at === undefined) next.at = '';
    if (change.zoom === undefined) next.zoom = '';
    if (change.open === undefined) next.open = [];
  }
  if (next.filter !== address.filter || next.exclude !== address.exclude) {
    if (change.zoom === undefined) next.zoom = '';
  }
  const sortStands = kind(next.of) === kind(address.of) && next.by === address.by;
  if (!sortStands && change.sort === undefined) {
    next.sort = null;
    next.desc = true;
  }
  return next;
}

export const address = new Store<Address>(
  parseAddress(typeof location === 'undefined' ? '' : location.hash),
);

// Browsers refuse hundreds of steps in a few seconds, as when an arrow key is held.
const WRITE_MS = 200;
let writing: ReturnType<typeof setTimeout> | undefined;

function writeAddress(): void {
  clearTimeout(writing);
  writing = undefined;
  history.replaceState(null, '', formatAddress(address.value));
}

/** A step that "back" undoes; `replace` for what is not worth a step. */
export function navigate(change: Partial<Address>, replace = false): void {
  const next = changed(address.value, change);
  if (formatAddress(next) === formatAddress(address.value)) return;
  if (replace) {
    clearTimeout(writing);
    writing = setTimeout(writeAddress, WRITE_MS);
  } else {
    if (writing !== undefined) writeAddress();
    history.pushState(null, '', formatAddress(next));
  }
  address.set(next);
}

export function followHistory(): void {
  const read = (): void => {
    clearTimeout(writing);
    writing = undefined;
    address.set(parseAddress(location.hash));
  };
  addEventListener('popstate', read);
  addEventListener('hashchange', read);
}

export function isComparison(of: string): boolean {
  return of.includes('..');
}

/** By size class only the blocks that live now are known. */
export function seriesIn(by: Grouping, series: Series): Series {
  return by === 'size-class' ? 'current' : series;
}

/** The parameters that every analysis understands. */
export function analysisParameters(state: Address, by: Grouping = state.by): URLSearchParams {
  const parameters = new URLSearchParams({
    of: state.of,
    by,
    unit: state.unit,
    fold: state.fold ? '1' : '0',
  });
  if (state.filter) parameters.set('filter', state.filter);
  if (state.exclude) parameters.set('exclude', state.exclude);
  if (state.regex) parameters.set('regex', '1');
  if (!isComparison(state.of)) parameters.set('series', seriesIn(by, state.series));
  return parameters;
}
