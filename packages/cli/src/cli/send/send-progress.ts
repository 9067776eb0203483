import type { Context } from '../context.ts';
import { formatNumber } from '../print/plural.ts';
import type { Tally } from './send-lines.ts';

/** Runs `use` with a progress bar on a terminal: of the file's bytes, because nobody has counted its lines. */
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
      // It asks of a stream no more than a terminal has.
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
