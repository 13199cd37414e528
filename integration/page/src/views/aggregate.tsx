// The tree table. Rows are drawn as they come into view; the one that the keys
// are at is told to assistive technology by aria-activedescendant, so that it
// may leave the screen without losing the focus.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComparison, navigate, type Address } from '../address';
import type { Row } from '../api_types';
import { copyText } from '../ui';
import type { ShownRows } from '../use_rows';
import {
  childPath, countRows, indexOfPath, PAGE_ROWS, pathOf, rowAt, scrollToShow, visibleRows,
  type Place,
} from '../tree_rows';
import { columnsOf, ordered, type Column } from './aggregate_columns';
import { TableHeader } from './table_header';
import { TableRow } from './table_row';
import { rowsAsText } from './table_text';

export const ROW_HEIGHT = 24;
const SPARE_ROWS = 12;
const HEADER_HEIGHT = 37;

/** What the bars of each column are against: the whole, and where there is none (net),
 * the largest of the rows. */
function largestOf(columns: Column[], rows: (Row | undefined)[]): Map<string, number> {
  return new Map(
    columns.map((column) => [
      column.id,
      column.whole ?? Math.max(1, ...rows.map((row) => (row ? Math.abs(column.value(row)) : 0))),
    ]),
  );
}

/** Height of the scrolling element, followed as the window changes. */
function useViewport(element: { current: HTMLElement | null }): [number, number, () => void] {
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const measure = new ResizeObserver(() => setHeight(box.clientHeight - HEADER_HEIGHT));
    measure.observe(box);
    return () => measure.disconnect();
  }, []);
  return [scroll, height, () => setScroll(element.current?.scrollTop ?? 0)];
}

interface Properties {
  state: Address;
  rows: ShownRows;
  onDetails: () => void;
}

export function Aggregate({ state, rows, onDetails }: Properties): JSX.Element {
  const grid = useRef<HTMLDivElement>(null);
  const [scrollTop, viewport, onScroll] = useViewport(grid);
  const source = rows.source!;
  const top = source.top;
  const total = countRows(top);
  // Until the rows of a new question are here, the old ones stand under their own headers.
  const { asked } = source;
  const columns = columnsOf(asked, source.head);
  const { first, last } = visibleRows(scrollTop, viewport, ROW_HEIGHT, total, SPARE_ROWS);
  const places: Place[] = [];
  for (let index = first; index < last; index++) places.push(rowAt(top, index)!);

  useEffect(() => source.need(first, last), [source, first, last, total]);
  useEffect(() => {
    if (grid.current) grid.current.scrollTop = 0;
  }, [source.question.replace(/&(sort|desc)=[^&]*/g, '')]);

  const cursor = state.at === '' ? -1 : indexOfPath(top, state.at);
  const keepOpen = (): void => navigate({ open: source.openPaths() }, true);
  const select = (index: number): void => {
    const place = rowAt(top, index);
    const path = place && pathOf(place);
    if (path) navigate({ at: path }, true);
    const box = grid.current!;
    box.scrollTop = scrollToShow(index, box.scrollTop, viewport, ROW_HEIGHT);
  };
  const toggle = async (place: Place, open: boolean): Promise<void> => {
    const path = pathOf(place);
    const row = place.list.rows[place.at];
    if (path === null || !row || row.children === 0) return;
    if (open) await source.open(path);
    else source.close(path);
    keepOpen();
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget || event.altKey || event.metaKey) return;
    const place = cursor >= 0 ? rowAt(top, cursor) : null;
    const isOpen = place !== null && place.list.open.has(place.at);
    const page = Math.max(1, Math.floor(viewport / ROW_HEIGHT) - 1);
    const to = (index: number): void => select(Math.max(0, Math.min(total - 1, index)));
    if (event.ctrlKey) {
      const row = place?.list.rows[place.at];
      if (event.key !== 'c' || !row || String(getSelection()) !== '') return;
      void copyText(rowsAsText(columns, [{ row, depth: 0 }]), 'the row');
    } else if (event.key === 'ArrowDown') to(cursor + 1);
    else if (event.key === 'ArrowUp') to(Math.max(0, cursor - 1));
    else if (event.key === 'PageDown') to(cursor + page);
    else if (event.key === 'PageUp') to(cursor - page);
    else if (event.key === 'Home') to(0);
    else if (event.key === 'End') to(total - 1);
    else if (event.key === 'Enter' && place) onDetails();
    else if (event.key === 'ArrowRight' && place) {
      if (isOpen) to(cursor + 1);
      else void toggle(place, true);
    } else if (event.key === 'ArrowLeft' && place) {
      const parent = source.parentPath(place);
      if (isOpen) void toggle(place, false);
      else if (parent !== null) to(indexOfPath(top, parent));
    } else return;
    event.preventDefault();
  };

  const drawn = places.map((place) => place.list.rows[place.at]);
  const largest = largestOf(columns, [...top.rows.slice(0, PAGE_ROWS), ...drawn]);
  const widths = columns.map((column) => (column.narrow ? 'var(--count)' : 'var(--bytes)'));
  const shape = {
    '--columns': `${widths.join(' ')} minmax(var(--name), 1fr)`,
    '--row-width': `calc(${widths.join(' + ')} + var(--name))`,
  };
  return (
    <div
      ref={grid}
      class={`grid${isComparison(asked.of) ? ' comparison' : ''}${asked.of === state.of ? '' : ' stale'}`}
      aria-busy={rows.since !== null}
      role="treegrid"
      aria-label="Rows"
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={cursor >= first && cursor < last ? `row-${cursor}` : undefined}
      tabIndex={0}
      style={shape}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onFocus={() => cursor < 0 && total > 0 && select(0)}
    >
      <TableHeader state={ordered(asked, source.head)} columns={columns} />
      <div role="rowgroup" class="grid-body" style={{ height: `${total * ROW_HEIGHT}px` }}>
        {places.map((place, offset) => {
          const index = first + offset;
          const row = place.list.rows[place.at];
          return (
            <TableRow
              key={row ? childPath(place.list.path, row.key) : `blank ${index}`}
              row={row}
              index={index}
              place={place}
              columns={columns}
              largest={largest}
              full={state.full}
              selected={index === cursor}
              onSelect={() => select(index)}
              onToggle={() => void toggle(place, !place.list.open.has(place.at))}
              onDetails={() => {
                select(index);
                onDetails();
              }}
            />
          );
        })}
      </div>
    </div>
  );
}
