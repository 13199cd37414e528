// What the demo holds at its two marks, from its own constants: so many monsters
// of such a size. The tests compare what the page shows with this arithmetic.
import { readFileSync } from 'node:fs';
import { demoSource } from './places.mjs';

const text = readFileSync(demoSource, 'utf8');

function constant(name) {
  return Number(new RegExp(`${name} = (\\d+);`).exec(text)[1]);
}

/** The line that is marked `site: NAME`. */
export function lineOf(site) {
  return text.split('\n').findIndex((line) => line.endsWith(`// site: ${site}`)) + 1;
}

const slimes = constant('kSlimesAtDusk');
const dragons = constant('kDragonsAtDusk');
const slimesHatched = constant('kSlimesHatched');
const dragonsHatched = constant('kDragonsHatched');
const hatched = slimesHatched + dragonsHatched;
const slain = constant('kSlimesSlain') + constant('kDragonsSlain');

/** [blocks, requested, usable] of `blocks` blocks of a site's size. */
const SIZES = {
  ledger: [8 * constant('kLedgerLines'), 8 * constant('kLedgerLines')],
  monster: [64, 64],
  name: [constant('kNameBytes'), 48],
  hoard: [constant('kHoardBytes'), 4096],
  footprint: [constant('kFootprintBytes'), 112],
};
export function measure(site, blocks) {
  const [requested, usable] = SIZES[site];
  return [blocks, blocks * requested, blocks * usable];
}

export function sum(...measures) {
  return measures.reduce((all, one) => all.map((value, i) => value + one[i]), [0, 0, 0]);
}

const each = (counts) =>
  Object.fromEntries(Object.entries(counts).map(([site, n]) => [site, measure(site, n)]));

export const atDusk = each({
  ledger: 1, monster: slimes + dragons, name: slimes + dragons, hoard: dragons,
});
export const atDawn = each({
  ledger: 1,
  monster: slimes + dragons + hatched - slain,
  name: slimes + dragons + hatched - slain,
  hoard: dragons + dragonsHatched,
});
export const everAtDawn = each({
  ledger: 1,
  monster: slimes + dragons + hatched,
  name: slimes + dragons + hatched,
  hoard: dragons + dragonsHatched,
  footprint: constant('kFootprints'),
});
export const overnight = {
  added: each({ monster: hatched, name: hatched, hoard: dragonsHatched }),
  freed: each({ monster: slain, name: slain }),
  net: each({ monster: hatched - slain, name: hatched - slain, hoard: dragonsHatched }),
};
export const changes = {
  added: sum(...Object.values(overnight.added)),
  freed: sum(...Object.values(overnight.freed)),
  net: sum(...Object.values(overnight.net)),
};
