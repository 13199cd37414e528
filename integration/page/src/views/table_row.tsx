// One row of the table. A row that is not here yet shows dots in its place.
import type { JSX } from 'preact';
import type { Row } from '../api_types';
import { TwistyIcon } from '../components/icons';
import { count } from '../format';
import type { Place } from '../tree_rows';
import { ROW_HEIGHT } from './aggregate';
import { barShare, cellPercent, cellText, cellTitle, type Column } from './aggregate_columns';
import { FrameName } from './frame_name';

interface Properties {
  row: Row | undefined;
  index: number;
  place: Place;
  columns: Column[];
  largest: Map<string, number>;
  full: boolean;
  selected: boolean;
  onSelect: () => void;
  onToggle: () => void;
  onDetails: () => void;
}

function Cell({ column, row, largest, index }: {
  column: Column;
  row: Row;
  largest: number;
  index: number;
}): JSX.Element {
  const value = column.value(row);
  const tone = !column.signed || value === 0 ? '' : value > 0 ? ' more' : ' less';
  const share = cellPercent(column, row);
  return (
    <div
      role="gridcell"
      aria-colindex={index}
      class={`cell${value === 0 ? ' zero' : ''}${tone}`}
      title={cellTitle(column, row)}
    >
      <span class="bar" style={{ width: `${(100 * barShare(column, row, largest)).toFixed(1)}%` }} />
      <span class="number">{cellText(column, row)}</span>
      {share !== null && <span class="percent">{share}</span>}
    </div>
  );
}

export function TableRow(properties: Properties): JSX.Element {
  const { row, index, place, columns } = properties;
  const top = { transform: `translateY(${index * ROW_HEIGHT}px)` };
  const shape = {
    id: `row-${index}`,
    role: 'row',
    'aria-rowindex': index + 2,
    'aria-level': place.list.depth + 1,
    'aria-setsize': place.list.total,
    'aria-posinset': place.at + 1,
    style: top,
  } as const;
  if (!row) {
    return (
      <div {...shape} class="row blank">
        <div role="gridcell" class="cell" aria-label="Not here yet">
          …
        </div>
      </div>
    );
  }
  const opens = row.children > 0;
  const isOpen = place.list.open.has(place.at);
  return (
    <div
      {...shape}
      class={properties.selected ? 'row selected' : 'row'}
      aria-selected={properties.selected}
      aria-expanded={opens ? isOpen : undefined}
      onClick={properties.onSelect}
      onMouseDown={(event) => event.detail > 1 && event.preventDefault()}
      onDblClick={properties.onDetails}
    >
      {columns.map((column, at) => (
        <Cell
          key={column.id}
          column={column}
          row={row}
          largest={properties.largest.get(column.id) ?? 1}
          index={at + 1}
        />
      ))}
      <div
        role="gridcell"
        aria-colindex={columns.length + 1}
        class="cell name"
        style={{ paddingLeft: `calc(4px + ${Math.min(place.list.depth, 40)} * var(--indent))` }}
      >
        {opens ? (
          <button
            type="button"
            tabIndex={-1}
            class={isOpen ? 'twisty open' : 'twisty'}
            aria-label={isOpen ? 'Close' : `Open: ${count(row.children)} below`}
            onClick={(event) => {
              event.stopPropagation();
              properties.onSelect();
              properties.onToggle();
            }}
          >
            <TwistyIcon />
          </button>
        ) : (
          <span class="twisty" />
        )}
        <FrameName frame={row} full={properties.full} around={place.list.parent?.module ?? null} />
        <button
          type="button"
          tabIndex={-1}
          class="row-details"
          title="Its blocks and their stacks (Enter)"
          onClick={(event) => {
            event.stopPropagation();
            properties.onDetails();
          }}
        >
          blocks
        </button>
      </div>
    </div>
  );
}
