// Numbers as the page is to show them: binary units with three significant
// digits, counts with thin spaces. Written anew here, so that the page's own
// formatting is tried as well.

const THIN = '\u2009';

export function count(value) {
  return Math.abs(value).toLocaleString('en-US').replaceAll(',', THIN);
}

export function bytes(value) {
  let size = Math.abs(value);
  if (size < 1024) return `${size} B`;
  for (const unit of ['KiB', 'MiB', 'GiB']) {
    size /= 1024;
    if (size < 999.5) return `${size.toPrecision(3)} ${unit}`;
  }
  throw new Error(`${value} is more than the tests know`);
}

/** +135 KiB, −2 */
export function signed(value, format) {
  if (value === 0) return format(0);
  return `${value > 0 ? '+' : '\u2212'}${format(value)}`;
}

export const blocks = (value) => `${count(value)} ${Math.abs(value) === 1 ? 'block' : 'blocks'}`;
export const exact = (value) => `${count(value)} bytes`;
/** For names in regular expressions. */
export const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A sentence of the tool as the page writes its numbers. */
export function thinned(sentence) {
  return sentence.replace(/\b\d{4,}(?= (?:of \d+ )?(?:blocks|bytes)\b)/g, (digits) => count(Number(digits)));
}
