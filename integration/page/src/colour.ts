// Colours of the flame graph and the tree map. A module has one hue wherever it
// is drawn; lightness goes with depth so that neighbours differ. Growth is orange
// and shrinking blue, a pair that colour-blind people tell apart.

export interface Hsl {
  hue: number;
  saturation: number;
  lightness: number;
}

const HUES = 12;
const STEP = 5;
const taken: (string | undefined)[] = new Array<undefined>(HUES);

/** A hue out of 12, by the module's name; one that another module has is passed by
 * while there are free ones, to one far from it. The page keeps what it gave. */
export function hueOf(module: string): number {
  let place = placeOf(module);
  for (let tries = 0; tries < HUES && (taken[place] ?? module) !== module; tries++)
    place = (place + STEP) % HUES;
  taken[place] ??= module;
  return place * (360 / HUES);
}

function placeOf(module: string): number {
  let hash = 2166136261;
  for (let i = 0; i < module.length; i++) {
    hash = Math.imul(hash ^ module.charCodeAt(i), 16777619);
  }
  hash ^= hash >>> 15;
  return (hash >>> 0) % HUES;
}

export function moduleColour(module: string, depth: number, dark: boolean): Hsl {
  const step = (depth % 4) * 3.5;
  const lightness = dark ? 27 + step : 86 - step;
  if (module === '') return { hue: 0, saturation: 0, lightness };
  return { hue: hueOf(module), saturation: dark ? 34 : 58, lightness };
}

export const GREW_HUE = 28;
export const SHRANK_HUE = 212;

/** `net` against all that the frame holds on either side: the stronger, the fuller. */
export function growthColour(net: number, size: number, dark: boolean): Hsl {
  const share = size > 0 ? Math.min(1, Math.abs(net) / size) : 0;
  if (net === 0) return { hue: 0, saturation: 0, lightness: dark ? 28 : 88 };
  const strength = 0.25 + 0.75 * Math.sqrt(share);
  return {
    hue: net > 0 ? GREW_HUE : SHRANK_HUE,
    saturation: 25 + 65 * strength,
    lightness: dark ? 23 + 12 * strength : 92 - 26 * strength,
  };
}

export function css({ hue, saturation, lightness }: Hsl): string {
  return `hsl(${hue} ${saturation.toFixed(1)}% ${lightness.toFixed(1)}%)`;
}
