// The answer of `summary`.
import type { Measure, Row, Values } from './api_types';

export type Facts = Record<string, string | number | null>;

export interface SizeClass {
  usable: number;
  blocks?: number;
  requested?: number;
  usable_bytes?: number;
  added?: Measure;
  freed?: Measure;
  survived?: Measure;
}

export interface SnapshotSummary {
  kind: 'snapshot';
  /** Whether the filter that was asked for holds for the totals and tables. */
  filter?: boolean | null;
  facts: Facts;
  totals: Values;
  peak: { measure: Measure; bound: number };
  peak_top: Row[];
  top: Row[];
  sizes: SizeClass[];
  coverage: {
    with_stack: Measure;
    reasons: { reason: string; words: string; measure: Measure }[];
    ended_early: { end: string; words: string; blocks: number }[];
  };
  own: Record<string, number>;
  capture: { pause_ms: number; duration_ms: number; bytes: number };
  books: { balanced: boolean; sentence: string };
  missing: { module: string; hint: string }[];
  memory: Record<string, number>;
}

export interface ComparisonSummary {
  kind: 'comparison';
  filter?: boolean | null;
  facts: { baseline: Facts; comparison: Facts };
  matched_by: string;
  totals: Values;
  notes: string[];
  grown: Row[];
  shrunk: Row[];
  sizes: SizeClass[];
}

export type Summary = SnapshotSummary | ComparisonSummary;
