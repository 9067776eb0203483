/** A median with its spread, the quartiles around it, and the mean, which a few slow rounds move. */
export interface Spread {
  readonly median: number;
  /** First and third quartile. */
  readonly low: number;
  readonly high: number;
  readonly mean: number;
  readonly count: number;
}

/** The value below which `share` (0 to 1) of the values lie, interpolated linearly between neighbours. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('A quantile needs at least one value');
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  return below + (above - below) * (position - Math.floor(position));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    median: median(values),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
    mean: mean(values),
    count: values.length,
  };
}

/**
 * How many times larger the first is, round by round. Rounds of the two took turns, so a slow minute of the
 * machine is in both sides of a pair and leaves the ratio.
 */
export function pairedRatio(numerators: readonly number[], denominators: readonly number[]): Spread {
  if (numerators.length !== denominators.length) {
    throw new RangeError(`Rounds do not pair: ${numerators.length} and ${denominators.length}`);
  }
  return spreadOf(numerators.map((value, round) => value / (denominators[round] as number)));
}

/** The exponent k of `y = c * x^k` that fits the points best: 1 is linear, 0 is flat. */
export function growthExponent(points: readonly (readonly [x: number, y: number])[]): number {
  return slope(points.map(([x, y]) => [Math.log(x), Math.log(y)]));
}

/** The slope of the straight line that fits the points best (least squares). */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  let covariance = 0;
  let variance = 0;
  for (const [x, y] of points) {
    covariance += (x - meanX) * (y - meanY);
    variance += (x - meanX) ** 2;
  }
  if (variance === 0) throw new RangeError('A slope needs points at two places or more');
  return covariance / variance;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
