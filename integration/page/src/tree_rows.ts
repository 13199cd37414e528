// The rows of the table as they lie on the screen. A list is the children of one
// row, as many as the tool says there are, of which some pages are here; an open
// row has a list of its own, which lies between it and the next. Pure: what to
// fetch is told, not done.
import type { Row } from './api_types';

export interface RowList {
  /** Keys joined by dots; "" for the top. */
  path: string;
  depth: number;
  parent: Row | null;
  total: number;
  rows: (Row | undefined)[];
  /** The lists of the open rows, by their place in this one. */
  open: Map<number, RowList>;
}

export interface Place {
  list: RowList;
  at: number;
}

export const PAGE_ROWS = 200;

export function newList(path: string, depth: number, parent: Row | null, total: number): RowList {
  return { path, depth, parent, total, rows: [], open: new Map() };
}

export function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

export function parentPath(path: string): string {
  const end = path.lastIndexOf('.');
  return end < 0 ? '' : path.slice(0, end);
}

/** The rows of the list and of all open ones below it. */
export function countRows(list: RowList): number {
  let rows = list.total;
  for (const below of list.open.values()) rows += countRows(below);
  return rows;
}

function openInOrder(list: RowList): [number, RowList][] {
  return [...list.open].sort(([a], [b]) => a - b);
}

/** Which row lies at the place `index` on the screen, counted from 0. */
export function rowAt(list: RowList, index: number): Place | null {
  let passed = 0;
  for (const [at, below] of openInOrder(list)) {
    // Rows up to and including the open one stand before its children.
    if (index <= at + passed) break;
    const inside = countRows(below);
    const first = at + 1 + passed;
    if (index < first + inside) return rowAt(below, index - first);
    passed += inside;
  }
  const at = index - passed;
  return at >= 0 && at < list.total ? { list, at } : null;
}

/** Where the row of this path lies on the screen, if it is here; else -1. */
export function indexOfPath(list: RowList, path: string): number {
  let passed = 0;
  const inner = openInOrder(list);
  let next = 0;
  for (let at = 0; at < list.rows.length; at++) {
    while (next < inner.length && inner[next]![0] < at) passed += countRows(inner[next++]![1]);
    const row = list.rows[at];
    if (!row) continue;
    const own = childPath(list.path, row.key);
    if (own === path) return at + passed;
    const below = list.open.get(at);
    if (below && path.startsWith(`${own}.`)) {
      const inside = indexOfPath(below, path);
      return inside < 0 ? -1 : at + passed + 1 + inside;
    }
  }
  return -1;
}

export function pathOf(place: Place): string | null {
  const row = place.list.rows[place.at];
  return row ? childPath(place.list.path, row.key) : null;
}

/** The list of an open row by its path; the top for "". */
export function listOfPath(list: RowList, path: string): RowList | null {
  if (path === list.path) return list;
  for (const below of list.open.values()) {
    if (path === below.path || path.startsWith(`${below.path}.`)) return listOfPath(below, path);
  }
  return null;
}

/** The row of a path and the rows above it, outermost first, if they are here. */
export function rowsOfPath(list: RowList, path: string): Row[] {
  for (const [at, row] of list.rows.entries()) {
    if (!row) continue;
    const own = childPath(list.path, row.key);
    if (own === path) return [row];
    const below = list.open.get(at);
    if (below && path.startsWith(`${own}.`)) return [row, ...rowsOfPath(below, path)];
  }
  return [];
}

/** The pages that the rows from..to on the screen need and that are not here. */
export function missingPages(top: RowList, from: number, to: number): Place[] {
  const pages: Place[] = [];
  for (let index = Math.max(0, from); index < to; index++) {
    const place = rowAt(top, index);
    if (!place) break;
    if (place.list.rows[place.at]) continue;
    const at = place.at - (place.at % PAGE_ROWS);
    if (!pages.some((page) => page.list === place.list && page.at === at))
      pages.push({ list: place.list, at });
  }
  return pages;
}

export function putPage(list: RowList, offset: number, rows: Row[], total: number): void {
  list.total = total;
  for (const [at, row] of rows.entries()) list.rows[offset + at] = row;
}

export interface Window {
  first: number;
  last: number;
}

/** Which rows a viewport shows, with `spare` more above and below. */
export function visibleRows(
  scrollTop: number,
  viewport: number,
  rowHeight: number,
  total: number,
  spare: number,
): Window {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - spare);
  const last = Math.min(total, Math.ceil((scrollTop + viewport) / rowHeight) + spare);
  return { first: Math.min(first, last), last };
}

/** The scroll position that brings a row wholly into view with the least move. */
export function scrollToShow(
  index: number,
  scrollTop: number,
  viewport: number,
  rowHeight: number,
): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewport) return top + rowHeight - viewport;
  return scrollTop;
}
