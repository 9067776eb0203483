const UNITS = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Returns a time as text in its two largest units, such as `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Number((ms / 1_000).toFixed(2))} s`;
  const first = UNITS.findIndex(([, size]) => ms >= size);
  let rest = Math.round(ms / 1_000) * 1_000;
  const parts = UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count} ${unit === 'day' && count > 1 ? 'days' : unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
