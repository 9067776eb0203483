import type { Context } from '../context.ts';
import { formatNumber } from '../print/plural.ts';
import type { Tally } from './send-lines.ts';

/** Runs `use` with a progress bar on a terminal. It counts bytes: the number of lines is not known. */
export async function withSendProgress<Result>(
  { stderr, screen }: Context,
  size: number | undefined,
  use: (onProgress: (tally: Tally) => void) => Promise<Result>,
): Promise<Result> {
  if (stderr.isTTY !== true) return use(() => {});
  if (size === undefined || size === 0) {
    try {
      return await use(({ sent, failed }) =>
        screen.progress(`${formatNumber(sent)} sent · ${formatNumber(failed)} not sent`),
      );
    } finally {
      screen.progress(undefined);
    }
  }
  const { Presets, SingleBar } = await import('cli-progress');
  const bar = new SingleBar(
    {
      // SingleBar uses only what a terminal stream has.
      stream: stderr as NodeJS.WritableStream,
      format: '{bar} {percentage} % · {sent} sent · {failed} not sent · {eta_formatted} left',
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  bar.start(size, 0, { sent: 0, failed: 0 });
  try {
    return await use(({ bytesRead, sent, failed }) => {
      bar.update(Math.min(bytesRead, size), { sent: formatNumber(sent), failed: formatNumber(failed) });
    });
  } finally {
    bar.stop();
  }
}
