import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { Presets, SingleBar } from 'cli-progress';

/** How far the demo is; messages. */
interface DemoProgress {
  readonly total: number;
  /** Acknowledged, or in the dead-letter queue. */
  readonly done: number;
  readonly inFlight: number;
  readonly deadLettered: number;
}

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Where a person follows the demo. */
export interface DemoDisplay {
  /** Colours text if the stream supports colours and `NO_COLOR` is not set. */
  paint(style: Style, text: string): string;
  line(text?: string): void;
  progress(progress: DemoProgress): void;
  /** To be called when the progress is over, one way or another. */
  endProgress(): void;
}

export interface DemoDisplayOptions {
  /** A progress bar, if the stream is a terminal. Default true; otherwise there is a line every second. */
  readonly bar?: boolean;
}

/** A progress bar on a terminal, plain lines elsewhere. */
export function createDemoDisplay(out: WriteStream, { bar = true }: DemoDisplayOptions = {}): DemoDisplay {
  // A stream that is no terminal has no hasColors().
  const hasColors = out.isTTY && out.hasColors();
  const paint: DemoDisplay['paint'] = (style, text) =>
    hasColors ? styleText(style, text, { validateStream: false }) : text;
  return { paint, ...(out.isTTY && bar ? barDisplay(out, paint) : lineDisplay(out)) };
}

function barDisplay(out: WriteStream, paint: DemoDisplay['paint']): Omit<DemoDisplay, 'paint'> {
  const dot = paint('dim', '·');
  const bar = new SingleBar(
    {
      stream: out,
      format: `  ${paint('green', '{bar}')} {value}/{total} ${dot} {inFlight} in flight ${dot} {deadLettered} dead-lettered ${dot} {seconds} s`,
      barsize: 24,
      hideCursor: true,
      fps: 20,
      clearOnComplete: true,
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  let last: DemoProgress | undefined;
  const draw = ({ total, done, inFlight, deadLettered }: DemoProgress): void => {
    const payload = { inFlight, deadLettered, seconds: seconds() };
    if (bar.isActive) bar.update(done, payload);
    else bar.start(total, done, payload);
  };

  return {
    line(text = '') {
      const { isActive } = bar;
      if (isActive) bar.stop();
      out.write(`${text}\n`);
      if (isActive && last !== undefined) draw(last);
    },
    progress(progress) {
      last = progress;
      draw(progress);
    },
    endProgress() {
      if (!bar.isActive) return;
      bar.stop();
      if (last !== undefined) out.write(`${asText(last)}\n`);
    },
  };
}

const LINE_EVERY_MS = 1_000;

function lineDisplay(out: WriteStream): Omit<DemoDisplay, 'paint'> {
  const line = (text = ''): void => void out.write(`${text}\n`);
  let last: DemoProgress | undefined;
  let shown: DemoProgress | undefined;
  let shownAt = -Infinity;
  return {
    line,
    progress(progress) {
      last = progress;
      if (performance.now() - shownAt < LINE_EVERY_MS) return;
      shownAt = performance.now();
      shown = progress;
      line(asText(progress));
    },
    endProgress() {
      if (last !== shown && last !== undefined) line(asText(last));
      shown = last;
    },
  };
}

function asText({ total, done, inFlight, deadLettered }: DemoProgress): string {
  return `  ${seconds()} s  ${done} of ${total} messages done, ${inFlight} in flight, ${deadLettered} dead-lettered`;
}

/** Since the process started. */
function seconds(): string {
  return (performance.now() / 1_000).toFixed(1);
}
