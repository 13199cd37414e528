// The strip on top: the process, its current and peak bytes as they move, how it
// records and what that costs.
import type { JSX, TargetedEvent } from 'preact';
import { record, resetPeak } from '../actions';
import { address, navigate } from '../address';
import type { Mode, Process, State } from '../api_types';
import { Menu } from '../components/menu';
import { MoonIcon, SunIcon } from '../components/icons';
import { blocks, bytes, counted, exactBytes, programName } from '../format';
import { session, shownProcess } from '../session';
import { useStore } from '../store';
import { dark, dialog, toggleTheme } from '../ui';
import { costSentence, MODE_NAMES, modeSentence, peakBound, shortMode } from '../words';
import { Sparkline } from './sparkline';

const INTERVALS = [16, 64, 128, 512, 2048].map((kib) => kib * 1024);
const INTERVAL = 512 * 1024;

function optionText(process: Process): string {
  const state = process.gone ? 'ended' : MODE_NAMES[process.mode].toLowerCase();
  const values = `${bytes(process.current[2])}, peak ${bytes(process.peak[2])}`;
  return `${programName(process.command)} ${process.pid} · ${values} · ${state}`;
}

function Picker({ state, process }: { state: State | null; process: Process | null }): JSX.Element {
  const choose = (event: TargetedEvent<HTMLSelectElement>): void =>
    navigate({ pid: Number(event.currentTarget.value) });
  return (
    <select
      class="process"
      aria-label="Process"
      title={process?.command}
      value={String(process?.pid ?? 0)}
      onChange={choose}
    >
      {(state?.processes ?? []).map((one) => (
        <option key={one.pid} value={String(one.pid)}>
          {optionText(one)}
        </option>
      ))}
      <option value="0">files only</option>
    </select>
  );
}

function Figure({ name, measure, hint }: {
  name: string;
  measure: Process['current'];
  hint: string;
}): JSX.Element {
  const title = `${exactBytes(measure[2])} usable, ${exactBytes(measure[1])} requested, ${blocks(measure[0])}. ${hint}`;
  return (
    <div class="figure" title={title}>
      <span class="figure-name">{name}</span>
      <strong>{bytes(measure[2])}</strong>
      <span class="dim">
        {bytes(measure[1])} requested
      </span>
    </div>
  );
}

function Recording({ process, lost }: { process: Process; lost: boolean }): JSX.Element {
  const interval = process.sample_interval || INTERVAL;
  return (
    <fieldset class="segments" disabled={process.gone || lost}>
      <legend>
        Record<span class="sr"> call stacks</span>
      </legend>
      {(['counters', 'sampled', 'all'] as Mode[]).map((mode) => (
        <label key={mode} title={modeSentence(mode, interval)}>
          <input
            type="radio"
            name="mode"
            value={mode}
            checked={process.mode === mode}
            onChange={() => void record(process.pid, mode, interval)}
          />
          <span>{MODE_NAMES[mode]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function More({ process, lost }: { process: Process | null; lost: boolean }): JSX.Element {
  return (
    <Menu label="⋯" name="More" align="right">
      {process && !process.gone && !lost && (
        <>
          <label class="menu-line">
            Sampling: one stack for each
            <select
              value={String(process.sample_interval || INTERVAL)}
              onChange={(event) =>
                void record(process.pid, 'sampled', Number(event.currentTarget.value))
              }
            >
              {[...new Set([...INTERVALS, process.sample_interval || INTERVAL])]
                .sort((a, b) => a - b)
                .map((interval) => (
                  <option key={interval} value={String(interval)}>
                    {bytes(interval)}
                  </option>
                ))}
            </select>
          </label>
          <button type="button" class="menu-item" onClick={() => void resetPeak(process.pid)}>
            Reset the peak to the current value
          </button>
        </>
      )}
      <button type="button" class="menu-item" onClick={() => dialog.set({ kind: 'keys' })}>
        Keys and help <kbd>?</kbd>
      </button>
    </Menu>
  );
}

function NoProcess({ filesOnly }: { filesOnly: boolean }): JSX.Element {
  return (
    <p class="strip-words">
      {filesOnly
        ? 'Files only: snapshots are read, no process is watched.'
        : 'No process runs under heaptally. Start one in a terminal: '}
      {!filesOnly && <code>heaptally run PROGRAM</code>}
    </p>
  );
}

function Sentence({ process }: { process: Process }): JSX.Element {
  const words = process.gone
    ? `${programName(process.command)} ${process.pid} has ended. Its snapshots stay.`
    : process.error ?? shortMode(process.mode, process.sample_interval || INTERVAL);
  // Without stacks there is nothing that recording them could cost.
  const cost = process.gone || process.error || process.mode === 'counters' ? '' : costSentence(process);
  const rate = process.allocations_per_s;
  const parts = [cost, rate !== null && !process.gone && `${counted(rate, 'allocation')}/s`,
    !process.gone && `heaptally itself ${bytes(process.own_bytes)}`];
  return (
    <p
      class="strip-sentence"
      title={process.gone ? undefined : `${modeSentence(process.mode, process.sample_interval || INTERVAL)} Costs are those of the last second.`}
    >
      <span class={process.gone || process.error ? 'strong' : ''}>{words}</span>{' '}
      <span class="dim">{parts.filter(Boolean).join(' · ')}</span>
    </p>
  );
}

export function TopStrip(): JSX.Element {
  const { state, lost } = useStore(session);
  const { pid } = useStore(address);
  const isDark = useStore(dark);
  const process = shownProcess(state, pid);
  return (
    <header class="strip" aria-label="Process">
      <h1 class="sr">heaptally: the Memory tool</h1>
      <div class="strip-row">
        <Picker state={state} process={process} />
        {process ? (
          <>
            <Figure name="Current" measure={process.current} hint="What the program holds now." />
            <Figure
              name="Peak"
              measure={process.peak}
              hint={`At the moment of the most usable bytes; ${peakBound(process)}.`}
            />
            <Sparkline process={process} />
            <Recording process={process} lost={lost !== null} />
          </>
        ) : (
          state && <NoProcess filesOnly={pid === 0 || state.processes.length > 0} />
        )}
        <span class="spring" />
        <button
          type="button"
          class="quiet"
          aria-label={isDark ? 'Light colours' : 'Dark colours'}
          title={isDark ? 'Light colours' : 'Dark colours'}
          onClick={toggleTheme}
        >
          {isDark ? <SunIcon /> : <MoonIcon />}
        </button>
        <More process={process} lost={lost !== null} />
      </div>
      {process && <Sentence process={process} />}
    </header>
  );
}
