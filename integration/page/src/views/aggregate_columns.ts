// The columns of the table, for a snapshot and for a comparison. A header sorts;
// a column of blocks in a comparison also makes blocks the unit, because growth is
// ordered by the unit.
import type { Address } from '../address';
import { isComparison, seriesIn } from '../address';
import type { Row, Rows, Unit, Values } from '../api_types';
import { blocks, bytes, count, exactBytes, percent, signed } from '../format';
import { SERIES_WORDS } from '../words';

export interface Column {
  id: string;
  title: string;
  /** What the numbers are, for the tooltip of the header. */
  hint: string;
  sort: string;
  unit: Unit | null;
  value: (row: Row) => number;
  /** Of what the percentages are, as a number; null: no percentage. */
  whole: number | null;
  blocks: boolean;
  signed: boolean;
  narrow: boolean;
}

type Series = keyof Values;

function measureOf(values: Values, series: Series, index: 0 | 1 | 2): number {
  return values[series]?.[index] ?? 0;
}

function snapshotColumns(state: Address, whole: Values | null): Column[] {
  const bytesUnit: Unit = state.unit === 'blocks' ? 'usable' : state.unit;
  const at = bytesUnit === 'requested' ? 1 : 2;
  const column = (
    id: string, title: string, hint: string, sort: string,
    part: 'self' | 'total', series: Series, index: 0 | 1 | 2,
  ): Column => ({
    id, title, hint, sort,
    // Bytes are ordered by the bytes that are shown, never by blocks.
    unit: index === 0 ? null : bytesUnit,
    value: (row) => measureOf(row[part], series, index),
    whole: whole ? measureOf(whole, series, index) : null,
    blocks: index === 0, signed: false, narrow: index === 0,
  });
  const series = seriesIn(state.by, state.series);
  const when = SERIES_WORDS[series];
  const there = `allocated in the function itself, ${when}`;
  const below = `allocated there or in what it called, ${when}`;
  const columns = [
    column('bytes', 'Bytes', `${bytesUnit} bytes ${there}`, 'self', 'self', series, at),
    column('count', 'Count', `blocks ${there}`, 'count', 'self', series, 0),
    column('total-bytes', 'Total bytes', `${bytesUnit} bytes ${below}`, 'total', 'total', series, at),
    column('total-count', 'Total count', `blocks ${below}`, 'total_count', 'total', series, 0),
    column('at-peak', 'At peak', `${bytesUnit} bytes at the moment of the process’s peak, there or below`, 'at_peak', 'total', 'at_peak', at),
    column('ever', 'Ever', `${bytesUnit} bytes ever allocated, there or below, freed ones included`, 'ever', 'total', 'ever', at),
  ];
  // A size class is of the blocks that live: nothing is known of others.
  return state.by === 'size-class' ? columns.slice(0, 4) : columns;
}

const CHANGES: [Series, string, string, string][] = [
  ['net', 'Net', 'new less freed', 'net'],
  ['added', 'New', 'in the comparison, not in the baseline', 'added'],
  ['freed', 'Freed', 'in the baseline, not in the comparison', 'freed'],
  ['survived', 'Survived', 'in both', 'survived'],
];

function comparisonColumns(state: Address, whole: Values | null): Column[] {
  const bytesUnit: Unit = state.unit === 'blocks' ? 'usable' : state.unit;
  const at = bytesUnit === 'requested' ? 1 : 2;
  const part = partOf(state);
  return CHANGES.flatMap(([series, title, words, sort]) =>
    ([at, 0] as const).map((index): Column => ({
      id: `${series}-${index === 0 ? 'blocks' : 'bytes'}`,
      title: index === 0 ? `${title} blocks` : `${title} bytes`,
      hint: `${index === 0 ? 'blocks' : `${bytesUnit} bytes`} ${words}, ${part === 'total' ? 'there or below' : 'allocated there'}`,
      sort,
      unit: index === 0 ? 'blocks' : bytesUnit,
      value: (row) => measureOf(row[part], series, index),
      whole: whole && series !== 'net' ? measureOf(whole, series, index) : null,
      blocks: index === 0, signed: series === 'net', narrow: index === 0,
    })),
  );
}

/** Which values of a row a comparison shows: by stack all below, else what was allocated there. */
export function partOf(state: Address): 'self' | 'total' {
  return state.by === 'stack' ? 'total' : 'self';
}

export function columnsOf(state: Address, head: Rows | null): Column[] {
  const whole = head?.whole ?? null;
  return isComparison(state.of) ? comparisonColumns(state, whole) : snapshotColumns(state, whole);
}

/** The state with the order that the rows have, be it asked for or the tool's. */
export function ordered(state: Address, head: Rows | null): Address {
  if (state.sort || !head?.sort) return state;
  return { ...state, sort: head.sort, desc: head.desc ?? state.desc };
}

/** The column that the rows are ordered by, also when the tool chose it. */
export function sortedColumn(state: Address, columns: Column[]): string {
  if (state.sort === 'name') return 'name';
  const byDefault = isComparison(state.of) ? 'net' : state.by === 'stack' ? 'total' : 'self';
  const sort = state.sort ?? byDefault;
  // In blocks, `self` and `total` are the columns of counts.
  const counts: Record<string, string> = { self: 'count', total: 'total_count' };
  if (state.unit === 'blocks' && counts[sort] && !isComparison(state.of))
    return columns.find((column) => column.sort === counts[sort])?.id ?? '';
  const fits = columns.filter((column) => column.sort === sort);
  const unit = fits.find((column) => column.unit === state.unit);
  return (unit ?? fits[0])?.id ?? '';
}

/** What a click on a header changes. */
export function sortBy(state: Address, columns: Column[], id: string): Partial<Address> {
  if (sortedColumn(state, columns) === id) {
    const column = columns.find((one) => one.id === id);
    return { sort: state.sort ?? column?.sort ?? null, desc: !state.desc };
  }
  if (id === 'name') return { sort: 'name', desc: false };
  const column = columns.find((one) => one.id === id)!;
  return { sort: column.sort, desc: true, ...(column.unit ? { unit: column.unit } : {}) };
}

export function cellText(column: Column, row: Row): string {
  const value = column.value(row);
  const format = column.blocks ? count : bytes;
  return column.signed ? signed(value, format) : format(value);
}

export function cellPercent(column: Column, row: Row): string | null {
  if (column.whole === null || column.blocks || column.whole === 0) return null;
  return percent(column.value(row), column.whole);
}

/** The exact number and what the percentage is of. */
export function cellTitle(column: Column, row: Row): string {
  const value = column.value(row);
  const exact = column.blocks ? blocks(value) : exactBytes(value);
  const words = column.signed && value !== 0 ? ` (${value > 0 ? 'grew' : 'shrank'})` : '';
  const share = column.whole
    ? `, ${percent(value, column.whole)} of ${column.blocks ? blocks(column.whole) : bytes(column.whole)}`
    : '';
  return `${column.signed && value > 0 ? '+' : ''}${exact}${words}${share} — ${column.hint}`;
}

/** Length of the thin bar behind a number, 0..1. */
export function barShare(column: Column, row: Row, largest: number): number {
  return largest > 0 ? Math.min(1, Math.abs(column.value(row)) / largest) : 0;
}
