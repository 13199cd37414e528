// Rows as text for the clipboard: tabs between columns, exact numbers.
import type { Row } from '../api_types';
import type { RowList } from '../tree_rows';
import type { Column } from './aggregate_columns';
import { frameText } from './frame_name';

export interface TextRow {
  row: Row;
  depth: number;
}

/** All rows that are here, in their order on the screen. */
export function shownRows(list: RowList): TextRow[] {
  return list.rows.flatMap((row, at) => {
    const below = list.open.get(at);
    return row ? [{ row, depth: list.depth }, ...(below ? shownRows(below) : [])] : [];
  });
}

export function rowsAsText(columns: Column[], rows: TextRow[]): string {
  const head = [...columns.map((column) => column.title), 'Name'].join('\t');
  const lines = rows.map(({ row, depth }) =>
    [...columns.map((column) => String(column.value(row))), '  '.repeat(depth) + frameText(row)].join('\t'),
  );
  return [head, ...lines].join('\n') + '\n';
}
