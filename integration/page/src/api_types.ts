// What the tool answers, as it answers it. A measure counts the same blocks three
// ways; which bytes are meant is always said: requested is what the program asked
// for, usable what the size class gives.

/** [blocks, requested bytes, usable bytes] */
export type Measure = [number, number, number];

export type Mode = 'counters' | 'sampled' | 'all';

export interface Process {
  pid: number;
  command: string;
  started_ns: number;
  mode: Mode;
  sample_interval: number;
  current: Measure;
  peak: Measure;
  ever: Measure;
  peak_bound: number;
  threads: number;
  own_bytes: number;
  rss_bytes: number;
  allocations_per_s: number | null;
  stacks_per_s: number | null;
  stack_ns: number | null;
  cost_share: number | null;
  /** [age in ms, current usable, peak usable], oldest first */
  history: [number, number, number][];
  gone: boolean;
  error: string | null;
}

export interface Fault {
  sentence: string;
  section: string | null;
  offset: number | null;
  advice: string | null;
}

export interface Entry {
  id: string;
  name: string;
  note: string;
  state: 'pending' | 'ready' | 'bad';
  error: Fault | null;
  saved: boolean;
  path: string | null;
  file_bytes: number;
  pid: number;
  command: string;
  process_id: string;
  taken_ns: number;
  mode: Mode;
  epoch: number;
  total: Measure;
  peak: Measure;
  delta: Measure | null;
  named: boolean;
  balanced: boolean;
  task: string | null;
}

export interface Task {
  id: string;
  kind: 'take' | 'load' | 'open';
  title: string;
  phase: string;
  done: number;
  total: number | null;
  unit: 'bytes' | 'addresses' | 'blocks';
  elapsed_ms: number;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  error: string | null;
  entry: string | null;
  of: string | null;
}

export interface State {
  version: string;
  now_ns: number;
  session: { folder: string; unsaved: number };
  processes: Process[];
  entries: Entry[];
  tasks: Task[];
  sources: string[];
  recovered: string | null;
}

export type Series = 'current' | 'at_peak' | 'ever';
export type Unit = 'usable' | 'requested' | 'blocks';
export type Grouping =
  | 'stack'
  | 'inverted'
  | 'function'
  | 'file'
  | 'line'
  | 'module'
  | 'size-class';

export type SnapshotValues = Record<Series, Measure>;
export type ComparisonValues = Record<'added' | 'freed' | 'survived' | 'net', Measure>;
/** Those of a snapshot, or those of a comparison. */
export type Values = Partial<SnapshotValues & ComparisonValues>;

export interface Frame {
  name: string;
  short: string;
  file: string;
  line: number;
  module: string;
  inlined: boolean;
}

export interface Row extends Frame {
  key: string;
  kind: 'frame' | 'group' | 'reason';
  self: Values;
  total: Values;
  children: number;
  tracebacks: number;
}

export interface Rows {
  of: string;
  kind: 'snapshot' | 'comparison';
  total_rows: number;
  offset: number;
  rows: Row[];
  whole: Values;
  matched: Values;
  left_out: Values;
  sentence: string | null;
  matched_by: string | null;
  notes: string[];
  groups: number;
  /** The order of the rows, where none was asked for. */
  sort?: string | null;
  desc?: boolean;
}

export interface TreeNode {
  key: string;
  name: string;
  short: string;
  file: string;
  line: number;
  module: string;
  kind: 'frame' | 'group' | 'reason';
  /** [self, total] in the chosen series and unit */
  v: [number, number];
  added?: number;
  freed?: number;
  survived?: number;
  c?: TreeNode[];
}

export interface Tree {
  whole: number;
  root: TreeNode;
  cut: { nodes: number; total: number };
}

export interface Individual {
  address: string;
  requested: number;
  usable: number;
  epoch: number;
  age: number;
  traceback: number;
  /** Of a comparison: the snapshot that the stack is of. */
  side?: 'baseline' | 'comparison';
  /** null: not known, as when two processes are compared. */
  change: 'new' | 'freed' | 'survived' | null;
}

export interface Individuals {
  total: number;
  rows: Individual[];
}

export interface Stack {
  frames: (Frame & { address: string })[];
  end: string;
  reason: string | null;
  text: string;
}

export type Source =
  | { path: string; first: number; lines: string[]; line: number; missing?: undefined }
  | { missing: string };
