// Numbers as a person reads them (three significant digits, binary units, thin
// spaces) and as they are copied (exact).

const THIN = '\u2009';
const MINUS = '\u2212';
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** 48.2 MiB; below 1 KiB exact. The sign is a real minus. */
export function bytes(value: number): string {
  const sign = value < 0 ? MINUS : '';
  let size = Math.abs(value);
  let unit = 0;
  while (unit < UNITS.length - 1 && size >= (unit === 0 ? 1024 : 999.5)) {
    size /= 1024;
    unit++;
  }
  return `${sign}${unit === 0 ? String(Math.round(size)) : threeDigits(size)} ${UNITS[unit]}`;
}

/** 12 404 with thin spaces. */
export function count(value: number): string {
  const digits = String(Math.abs(Math.round(value)));
  return (value < 0 ? MINUS : '') + digits.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** A sentence of the tool with its numbers written as here. */
export function thinned(sentence: string): string {
  return sentence
    .replace(/(\d),(?=\d{3})/g, `$1${THIN}`)
    .replace(/\b\d{4,}(?= (?:of \d+ )?(?:block|byte|allocation|stack|traceback|free|reallocation)s?\b)/g, (digits) =>
      count(Number(digits)))
    .replace(/(^|[\s(])-(?=\d)/g, `$1${MINUS}`);
}

/** The exact number of bytes, for tooltips: 50 541 322 bytes. */
export function exactBytes(value: number): string {
  return `${count(value)} ${Math.abs(value) === 1 ? 'byte' : 'bytes'}`;
}

export function blocks(value: number): string {
  return `${count(value)} ${Math.abs(value) === 1 ? 'block' : 'blocks'}`;
}

/** 1 frame, 12 404 frames */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${Math.abs(Math.round(value)) === 1 ? '' : 's'}`;
}

/** With + or − before it; zero has no sign. */
export function signed(value: number, format: (value: number) => string): string {
  return value > 0 ? `+${format(value)}` : format(value);
}

/** 64 %; below 10 with one digit, and never 0 % or 100 % unless it is so. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0%';
  const share = (100 * part) / whole;
  const size = Math.abs(share);
  const sign = share < 0 ? MINUS : '';
  if (size < 0.05) return `${sign}<0.1%`;
  if (size > 99.9 && size < 100) return `${sign}99.9%`;
  return `${sign}${size < 9.95 ? size.toFixed(1) : size.toFixed(0)}%`;
}

/** 14:02:11 of the day; with the date when it is another day than `now`. */
export function time(unixNs: number, nowMs: number = Date.now()): string {
  const date = new Date(unixNs / 1e6);
  const clock = date.toTimeString().slice(0, 8);
  if (new Date(nowMs).toDateString() === date.toDateString()) return clock;
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock}`;
}

/** 850 ns, 4.2 ms, 1.3 s */
export function duration(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${threeDigits(ns / 1e3)} µs`;
  if (ns < 1e9) return `${threeDigits(ns / 1e6)} ms`;
  return `${(ns / 1e9).toFixed(1)} s`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A qualified name or a path as what may be cut and the end that says the most:
 * ["a::Registry::", "Hatch(int)"], ["/src/demo/", "monsters.cc:55"]. */
export function nameParts(name: string): [string, string] {
  let depth = 0;
  let end = 0;
  for (let at = 0; at < name.length; at++) {
    const letter = name[at]!;
    if ('<([{'.includes(letter)) depth++;
    else if ('>)]}'.includes(letter)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && name.startsWith('::', at)) end = at + 2;
  }
  if (end === 0 && name.startsWith('/')) end = name.lastIndexOf('/') + 1;
  return [name.slice(0, end), name.slice(end)];
}

/** redis-server of "/usr/bin/redis-server --port 0": what a person calls it. */
export function programName(command: string): string {
  return baseName(command.split(' ', 1)[0]!) || command;
}

/** A name that is a good file name. */
export function fileName(name: string): string {
  const plain = name.trim().replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '');
  const stem = plain.replace(/\.heaptally$/, '');
  return `${stem || 'snapshot'}.heaptally`;
}
