import { describe, expect, it } from 'vitest';
import {
  analysisParameters, changed, formatAddress, parseAddress, START, type Address,
} from './address';

const FULL: Address = {
  of: '3..5', pid: 4711, view: 'tree-map', by: 'module', filter: 'a&b=c#d +é', exclude: 'std::',
  regex: true, series: 'at_peak', unit: 'blocks', fold: false, full: true, sort: 'total',
  desc: false, at: 'f1.f2', zoom: 'f1', open: ['f1', 'f1.g2'], search: '<x>', details: true,
};

describe('the address', () => {
  it('gives the state back that it was made of', () => {
    expect(parseAddress(formatAddress(FULL))).toEqual(FULL);
    expect(parseAddress(formatAddress(START))).toEqual(START);
  });
  it('writes only what differs from the start', () => {
    expect(formatAddress(START)).toBe('#');
    expect(formatAddress({ ...START, of: '3', filter: 'dict' })).toBe('#of=3&filter=dict');
  });
  it('takes nonsense as if it were not there', () => {
    const read = parseAddress('#of=../x&view=nothing&by=&pid=-1&unit=miles&series=%');
    expect(read).toEqual(START);
  });
  it('knows files only from a process that is not chosen', () => {
    expect(parseAddress('#pid=0').pid).toBe(0);
    expect(parseAddress('#').pid).toBe(null);
  });
});

describe('a change', () => {
  it('of the grouping leaves paths and order behind', () => {
    const next = changed({ ...FULL, by: 'stack' }, { by: 'function' });
    expect([next.at, next.zoom, next.open, next.sort, next.desc]).toEqual(['', '', [], null, true]);
  });
  it('of the view keeps everything else', () => {
    expect(changed(FULL, { view: 'aggregate' })).toEqual({ ...FULL, view: 'aggregate' });
  });
  it('from a snapshot to a comparison begins with growth', () => {
    const next = changed({ ...START, of: '1', sort: 'ever' }, { of: '1..2' });
    expect(next.sort).toBe(null);
  });
  it('of the snapshot keeps filter, grouping and order', () => {
    const next = changed({ ...START, of: '1', sort: 'ever', filter: 'x', by: 'file' }, { of: '2' });
    expect([next.sort, next.filter, next.by]).toEqual(['ever', 'x', 'file']);
  });
});

describe('the parameters of an analysis', () => {
  it('leave the series out of a comparison', () => {
    expect(analysisParameters(FULL).has('series')).toBe(false);
    expect(analysisParameters({ ...FULL, of: '3' }).get('series')).toBe('at_peak');
  });
  it('carry filter, exclusion and their kind', () => {
    const parameters = analysisParameters(FULL, 'file');
    expect(parameters.get('by')).toBe('file');
    expect(parameters.get('filter')).toBe('a&b=c#d +é');
    expect(parameters.get('exclude')).toBe('std::');
    expect(parameters.get('regex')).toBe('1');
    expect(parameters.get('fold')).toBe('0');
  });
});
