import { describe, expect, it } from 'vitest';
import type { Process, Task } from './api_types';
import { GREW_HUE, growthColour, hueOf, moduleColour, SHRANK_HUE } from './colour';
import { change, costSentence, direction, modeSentence, progress } from './words';

describe('words of differences', () => {
  it('say the direction', () => {
    expect(direction(3)).toBe('grew');
    expect(direction(-3)).toBe('shrank');
    expect(direction(0)).toBe('unchanged');
  });
  it('say how much, in the unit', () => {
    expect(change(2048, 'usable')).toBe('grew by 2.00 KiB');
    expect(change(-1, 'blocks')).toBe('shrank by 1 block');
    expect(change(0, 'requested')).toBe('unchanged');
  });
});

describe('words of states', () => {
  const task: Task = {
    id: '1', kind: 'take', title: 'redis', phase: 'capturing', done: 2 ** 20, total: 2 ** 22,
    unit: 'bytes', elapsed_ms: 1234, state: 'running', error: null, entry: null, of: null,
  };
  it('count the work that is done', () => {
    expect(progress(task)).toBe('Capturing the heap: 1.00 MiB of 4.00 MiB, 25%, 1.2 s');
    expect(progress({ ...task, total: null })).toBe('Capturing the heap: 1.00 MiB, 1.2 s');
    expect(progress({ ...task, phase: 'naming', unit: 'addresses', done: 1500, total: 3000 }))
      .toBe('Finding names: 1\u2009500 of 3\u2009000 addresses, 50%, 1.2 s');
  });
  it('say that a mode holds from now on, and what it cost', () => {
    expect(modeSentence('all', 0)).toContain('from now on');
    expect(modeSentence('sampled', 524288)).toContain('512 KiB');
    const process = {
      mode: 'all', gone: false, cost_share: 0.012, stack_ns: 890, stacks_per_s: 5400,
    } as Process;
    expect(costSentence(process)).toBe(
      'recording took 1.2% of one processor: 5\u2009400 stacks/s of 890 ns each',
    );
    expect(costSentence({ ...process, cost_share: null })).toBe('cost not measured yet');
    expect(costSentence({ ...process, mode: 'counters' })).toContain('nothing');
  });
});

describe('colours', () => {
  it('give a module one hue at every depth', () => {
    expect(moduleColour('libc.so.6', 1, true).hue).toBe(moduleColour('libc.so.6', 7, false).hue);
    expect(hueOf('libc.so.6')).not.toBe(hueOf('redis-server'));
  });
  it('let neighbours in depth differ', () => {
    expect(moduleColour('x', 1, false).lightness).not.toBe(moduleColour('x', 2, false).lightness);
  });
  it('are orange for growth, blue for less, grey for neither', () => {
    expect(growthColour(1, 10, false).hue).toBe(GREW_HUE);
    expect(growthColour(-1, 10, false).hue).toBe(SHRANK_HUE);
    expect(growthColour(0, 10, false).saturation).toBe(0);
  });
  it('are fuller the more of the frame has changed', () => {
    expect(growthColour(9, 10, false).saturation).toBeGreaterThan(growthColour(1, 10, false).saturation);
  });
});
