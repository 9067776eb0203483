import type { RedriveProgress } from 'batchlatch/operations';
import type { Context } from '../context.ts';

/** Runs `use` with a progress bar on a terminal. */
export async function withProgress<Result>(
  { stderr }: Context,
  use: (onProgress: (progress: RedriveProgress) => void) => Promise<Result>,
): Promise<Result> {
  if (stderr.isTTY !== true) return use(() => {});
  const { Presets, SingleBar } = await import('cli-progress');
  const bar = new SingleBar(
    {
      // SingleBar uses only what a terminal stream has.
      stream: stderr as NodeJS.WritableStream,
      format: '{bar} {value}/{total} · {moved} moved · {left} left',
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  try {
    return await use(({ moved, left, total }) => {
      const done = moved + left;
      const shown = Math.max(total, done); // SQS's count is approximate
      if (bar.isActive) {
        bar.setTotal(shown);
        bar.update(done, { moved, left });
      } else bar.start(shown, done, { moved, left });
    });
  } finally {
    if (bar.isActive) bar.stop();
  }
}
