import { describe, expect, it } from 'vitest';
import type { Row } from './api_types';
import {
  countRows, indexOfPath, listOfPath, missingPages, newList, PAGE_ROWS, pathOf, putPage, rowAt,
  rowsOfPath, scrollToShow, visibleRows, type RowList,
} from './tree_rows';

function row(key: string): Row {
  return {
    key, kind: 'frame', name: key, short: key, file: '', line: 0, module: '', inlined: false,
    self: {}, total: {}, children: 1, tracebacks: 1,
  };
}

function listOf(path: string, depth: number, keys: string[]): RowList {
  const list = newList(path, depth, null, keys.length);
  putPage(list, 0, keys.map(row), keys.length);
  return list;
}

/** a (b: x, y (z)), c */
function example(): RowList {
  const top = listOf('', 0, ['a', 'b', 'c']);
  const below = listOf('b', 1, ['x', 'y']);
  below.open.set(1, listOf('b.y', 2, ['z']));
  top.open.set(1, below);
  return top;
}

function pathsOnScreen(top: RowList): (string | null)[] {
  return Array.from({ length: countRows(top) }, (_, index) => pathOf(rowAt(top, index)!));
}

describe('rows on the screen', () => {
  it('has the rows of open ones between them and the next', () => {
    expect(pathsOnScreen(example())).toEqual(['a', 'b', 'b.x', 'b.y', 'b.y.z', 'c']);
  });
  it('finds no row beyond the last', () => expect(rowAt(example(), 6)).toBe(null));
  it('keeps two open rows apart', () => {
    const top = example();
    top.open.set(0, listOf('a', 1, ['p', 'q']));
    expect(pathsOnScreen(top).slice(0, 5)).toEqual(['a', 'a.p', 'a.q', 'b', 'b.x']);
  });
  it('finds each row by its path where it lies', () => {
    const top = example();
    for (const [index, path] of pathsOnScreen(top).entries())
      expect(indexOfPath(top, path!)).toBe(index);
    expect(indexOfPath(top, 'nothing')).toBe(-1);
    expect(indexOfPath(top, 'b.y.no')).toBe(-1);
  });
  it('finds a list and the rows that lead to one', () => {
    expect(listOfPath(example(), 'b.y')!.depth).toBe(2);
    expect(listOfPath(example(), 'a')).toBe(null);
    expect(rowsOfPath(example(), 'b.y.z').map((one) => one.key)).toEqual(['b', 'y', 'z']);
  });
});

describe('pages', () => {
  it('asks for those that hold the rows and are not here', () => {
    const top = newList('', 0, null, 5 * PAGE_ROWS);
    putPage(top, 0, Array.from({ length: PAGE_ROWS }, (_, at) => row(`k${at}`)), 5 * PAGE_ROWS);
    expect(missingPages(top, 0, PAGE_ROWS)).toEqual([]);
    const wanted = missingPages(top, PAGE_ROWS - 10, 3 * PAGE_ROWS);
    expect(wanted.map((page) => page.at)).toEqual([PAGE_ROWS, 2 * PAGE_ROWS]);
  });
  it('asks for pages of an open list by its own places', () => {
    const top = listOf('', 0, ['a', 'b']);
    const below = newList('a', 1, null, 3 * PAGE_ROWS);
    top.open.set(0, below);
    const wanted = missingPages(top, 0, 10);
    expect(wanted).toEqual([{ list: below, at: 0 }]);
  });
  it('takes the total that comes with a page', () => {
    const top = newList('', 0, null, 10);
    putPage(top, 0, [row('a')], 1);
    expect(countRows(top)).toBe(1);
  });
});

describe('the window', () => {
  it('shows the rows in view and some around', () => {
    expect(visibleRows(240, 240, 24, 1000, 5)).toEqual({ first: 5, last: 25 });
    expect(visibleRows(0, 240, 24, 4, 5)).toEqual({ first: 0, last: 4 });
    expect(visibleRows(99_999, 240, 24, 4, 5)).toEqual({ first: 4, last: 4 });
  });
  it('scrolls no further than needed to show a row', () => {
    expect(scrollToShow(5, 0, 240, 24)).toBe(0);
    expect(scrollToShow(12, 0, 240, 24)).toBe(72);
    expect(scrollToShow(2, 240, 240, 24)).toBe(48);
  });
});
