// The views, and what they all share: grouping, series, unit, filter.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isComparison, navigate, VIEWS, type Address, type View } from '../address';
import type { Grouping, Series, Unit } from '../api_types';
import { Menu } from '../components/menu';
import { SERIES_WORDS, UNIT_WORDS } from '../words';
import { GROUPING_WORDS, groupingIn, groupingsOf } from './drawing';

export const VIEW_NAMES: Record<View, string> = {
  aggregate: 'Aggregate',
  'call-tree': 'Call tree',
  'tree-map': 'Tree map',
  summary: 'Summary',
};

const TYPING_MS = 120;

function Tabs({ state }: { state: Address }): JSX.Element {
  const move = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const next = VIEWS[(VIEWS.indexOf(state.view) + step + VIEWS.length) % VIEWS.length]!;
    navigate({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
    event.preventDefault();
  };
  return (
    <div class="tabs" role="tablist" aria-label="View" onKeyDown={move}>
      {VIEWS.map((view, at) => (
        <button
          key={view}
          id={`tab-${view}`}
          type="button"
          role="tab"
          aria-selected={state.view === view}
          aria-controls="view-panel"
          tabIndex={state.view === view ? 0 : -1}
          title={`Key ${at + 1}`}
          onClick={() => navigate({ view })}
        >
          {VIEW_NAMES[view]}
        </button>
      ))}
    </div>
  );
}

/** A field whose text is taken when typing pauses, at once on Enter. */
function TypedField({ label, id, value, onChange }: {
  label: string;
  id: string;
  value: string;
  onChange: (value: string) => void;
}): JSX.Element {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = (next: string, wait: number): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next), wait);
  };
  return (
    <input
      id={id}
      type="search"
      aria-label={label}
      placeholder={`${label}…`}
      value={text}
      onInput={(event) => take(event.currentTarget.value, TYPING_MS)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take(event.currentTarget.value, 0);
        if (event.key === 'Escape') {
          event.stopPropagation();
          if (text) take('', 0);
          else event.currentTarget.blur();
        }
      }}
    />
  );
}

function Filters({ state }: { state: Address }): JSX.Element {
  return (
    <div class="filters" role="search">
      <TypedField
        id="filter"
        label="Filter"
        value={state.filter}
        onChange={(filter) => navigate({ filter }, state.filter !== '' && filter !== '')}
      />
      <TypedField
        id="exclude"
        label="Exclude"
        value={state.exclude}
        onChange={(exclude) => navigate({ exclude }, state.exclude !== '' && exclude !== '')}
      />
      <button
        type="button"
        class="toggle"
        aria-pressed={state.regex}
        aria-label="Regular expression"
        title="The two fields are regular expressions (ECMAScript)"
        onClick={() => navigate({ regex: !state.regex })}
      >
        .*
      </button>
    </div>
  );
}

function Choice<T extends string>({ label, value, options, onChange }: {
  label: string;
  value: T;
  options: [T, string][];
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function Options({ state, onCopy }: { state: Address; onCopy: (() => void) | null }): JSX.Element {
  return (
    <Menu label="Options" name="Options" align="right">
      <label class="menu-line check">
        <input
          type="checkbox"
          checked={!state.fold}
          onChange={(event) => navigate({ fold: !event.currentTarget.checked })}
        />
        Show the frames of the standard library and the allocator
      </label>
      <label class="menu-line check">
        <input
          type="checkbox"
          checked={state.full}
          onChange={(event) => navigate({ full: event.currentTarget.checked })}
        />
        Write template arguments out
      </label>
      {onCopy && (
        <button type="button" class="menu-item" onClick={onCopy}>
          Copy the rows that are open, as text
        </button>
      )}
      <button type="button" class="menu-item" onClick={() => navigate({ details: !state.details }, true)}>
        {state.details ? 'Hide' : 'Show'} blocks and stacks of the row
      </button>
    </Menu>
  );
}

export function Toolbar({ state, onCopy }: {
  state: Address;
  onCopy: (() => void) | null;
}): JSX.Element {
  const groupings = groupingsOf(state.view).map((by): [Grouping, string] => [by, GROUPING_WORDS[by]]);
  const series = Object.entries(SERIES_WORDS) as [Series, string][];
  const units = Object.entries(UNIT_WORDS) as [Unit, string][];
  // The summary has groupings and times of its own.
  const shares = state.view !== 'summary';
  const by = groupingIn(state.view, state.by);
  return (
    <div class="toolbar">
      <Tabs state={state} />
      <div class="choices">
        {shares && (
          <Choice label="by" value={by} options={groupings} onChange={(one) => navigate({ by: one })} />
        )}
        {shares && !isComparison(state.of) && by !== 'size-class' && (
          <Choice label="what is held" value={state.series} options={series} onChange={(one) => navigate({ series: one })} />
        )}
        <Choice label="in" value={state.unit} options={units} onChange={(unit) => navigate({ unit })} />
        <Filters state={state} />
        {shares && <Options state={state} onCopy={onCopy} />}
      </div>
    </div>
  );
}
