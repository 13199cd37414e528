// The headers of the table: each sorts, and shows the direction.
import type { JSX } from 'preact';
import { navigate, type Address } from '../address';
import { sortBy, sortedColumn, type Column } from './aggregate_columns';

const NAMES: Record<Address['by'], string> = {
  stack: 'Function, from the outermost in',
  inverted: 'Function, from the allocation out',
  function: 'Function',
  file: 'File',
  line: 'Line',
  module: 'Module',
  'size-class': 'Size class',
};

interface Properties {
  state: Address;
  columns: Column[];
}

export function TableHeader({ state, columns }: Properties): JSX.Element {
  const sorted = sortedColumn(state, columns);
  const header = (id: string, title: string, hint: string, index: number): JSX.Element => {
    const direction = id !== sorted ? 'none' : state.desc ? 'descending' : 'ascending';
    return (
      <div
        key={id}
        role="columnheader"
        class={id === 'name' ? 'head name' : 'head'}
        aria-sort={direction}
        aria-colindex={index}
      >
        <button
          type="button"
          title={`${hint}. Click to sort.`}
          onClick={() => navigate(sortBy(state, columns, id))}
        >
          <span>
            {title}
            {direction !== 'none' && (
              <span class="arrow" aria-hidden="true">
                {direction === 'descending' ? ' ▾' : ' ▴'}
              </span>
            )}
          </span>
        </button>
      </div>
    );
  };
  return (
    <div role="rowgroup" class="grid-head">
      <div role="row" class="row" aria-rowindex={1}>
        {columns.map((column, at) => header(column.id, column.title, column.hint, at + 1))}
        {header('name', NAMES[state.by], 'The name', columns.length + 1)}
      </div>
    </div>
  );
}
