// The cards of the summaries.
import type { ComponentChildren, JSX } from 'preact';
import { navigate, type Address } from '../address';
import type { Measure, Row, Unit, Values } from '../api_types';
import { blocks, bytes, count, exactBytes, percent, signed } from '../format';
import type { SizeClass } from '../summary_types';
import { direction, exactInUnit, UNIT_INDEX } from '../words';
import { FrameName } from './frame_name';

export function Card({ title, wide, children }: {
  title: string;
  wide?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class={wide ? 'card wide' : 'card'} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function MeasureTable({ rows, difference }: {
  rows: [string, Measure | undefined][];
  difference?: boolean;
}): JSX.Element {
  const shown = (value: number, format: (n: number) => string): string =>
    difference ? signed(value, format) : format(value);
  return (
    <table class="plain">
      <thead>
        <tr>
          <td />
          <th>Usable</th>
          <th>Requested</th>
          <th>Blocks</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, measure]) => measure && (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td title={exactBytes(measure[2])}>{shown(measure[2], bytes)}</td>
            <td title={exactBytes(measure[1])}>{shown(measure[1], bytes)}</td>
            <td>{shown(measure[0], count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const UNIT_TITLES: Record<Unit, string> = { usable: 'Usable', requested: 'Requested', blocks: 'Blocks' };

export function TopTable({ title, rows, series, whole, state }: {
  title: string;
  rows: Row[];
  series: keyof Values;
  whole: Measure | undefined;
  state: Address;
}): JSX.Element {
  const difference = series === 'net';
  const { unit } = state;
  // Beside the chosen unit the one that says the most with it.
  const other: Unit = unit === 'blocks' ? 'usable' : 'blocks';
  return (
    <Card title={title} wide>
      {rows.length === 0 ? (
        <p>None.</p>
      ) : (
        <table class="plain top">
          <thead>
            <tr>
              <th>{UNIT_TITLES[unit]}</th>
              {difference ? <td /> : <th>of all</th>}
              <th>{UNIT_TITLES[other]}</th>
              <th class="text">Allocated in</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const measure = row.self[series] ?? [0, 0, 0];
              const value = measure[UNIT_INDEX[unit]];
              const tone = !difference || value === 0 ? '' : value > 0 ? 'more' : 'less';
              const amount = (one: Unit): string => {
                const format = one === 'blocks' ? count : bytes;
                const own = measure[UNIT_INDEX[one]];
                return difference ? signed(own, format) : format(own);
              };
              return (
                <tr key={row.key}>
                  <td class={tone} title={exactInUnit(value, unit)}>
                    {amount(unit)}
                  </td>
                  <td class="dim">
                    {difference ? direction(value) : percent(value, whole?.[UNIT_INDEX[unit]] ?? 0)}
                  </td>
                  <td>{amount(other)}</td>
                  <td class="text">
                    <span class="frame-line">
                      <FrameName frame={row} full={state.full} around={null} />
                    </span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <p>
        <button type="button" class="link" onClick={() => navigate({ view: 'aggregate', by: 'inverted' })}>
          All of them, in the table
        </button>
      </p>
    </Card>
  );
}

function blocksOf(size: SizeClass): number {
  return size.blocks ?? (size.added?.[0] ?? 0) + (size.freed?.[0] ?? 0) + (size.survived?.[0] ?? 0);
}

/** How many the card shows without scrolling. */
const SIZES_SEEN = 12;

/** The histogram of size classes: a bar a class, its length the bytes or the change. */
export function SizeTable({ sizes }: { sizes: SizeClass[] }): JSX.Element {
  const difference = sizes.some((size) => size.added !== undefined);
  const value = (size: SizeClass): number =>
    difference ? (size.added?.[2] ?? 0) - (size.freed?.[2] ?? 0) : size.usable_bytes ?? 0;
  const used = sizes.filter((size) => blocksOf(size) > 0);
  const largest = Math.max(1, ...used.map((size) => Math.abs(value(size))));
  return (
    <Card title="Sizes">
      <p class="dim">
        {used.length === 1 ? 'One size class is' : `${count(used.length)} size classes are`} in use
        {used.length > SIZES_SEEN && '; the list scrolls'}.
      </p>
      <div class="sizes" tabIndex={0} role="group" aria-label="Blocks by size class">
        <table class="plain">
          <thead>
            <tr>
              <th>Size class</th>
              <th>Blocks</th>
              <th>{difference ? 'Net' : 'Usable'}</th>
              <th class="text">{difference ? 'Net, against the largest' : 'Usable bytes, against the largest'}</th>
            </tr>
          </thead>
          <tbody>
            {used.map((size) => {
              const own = value(size);
              const tone = !difference || own === 0 ? '' : own > 0 ? 'more' : 'less';
              const net = (size.added?.[0] ?? 0) - (size.freed?.[0] ?? 0);
              return (
                <tr key={size.usable}>
                  <td>{bytes(size.usable)}</td>
                  <td title={blocks(blocksOf(size))}>
                    {difference ? signed(net, count) : count(blocksOf(size))}
                  </td>
                  <td class={tone} title={exactBytes(own)}>
                    {difference ? signed(own, bytes) : bytes(own)}
                  </td>
                  <td class="text">
                    {own !== 0 && (
                      <span
                        class={`histogram ${tone}`}
                        style={{ width: `${(100 * Math.abs(own)) / largest}%` }}
                      />
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
