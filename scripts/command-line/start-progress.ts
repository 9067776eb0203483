import { SingleBar } from 'cli-progress';

/** A progress bar of `total` of `what` on standard error; none where that is no terminal. It is cleared when it stops. */
export function startProgress(total: number, what: string): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined;
  const bar = new SingleBar({
    format: `{bar} {value}/{total} ${what}, {eta_formatted} left`,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  return bar;
}
