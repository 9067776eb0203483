import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/run.ts';

/** How a command is run. */
export interface Terminal {
  /** Whether there is a terminal; its width may be given. Default: pipes. */
  readonly terminal?: boolean | number;
  /** What is typed, or how it comes about once somebody reads it. */
  readonly input?: string | (() => Promise<string>);
  /** In place of `input`, as it comes. */
  readonly chunks?: AsyncIterable<string>;
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  /** Told of all that is written, in order, whatever the stream. */
  readonly onText?: (text: string) => void;
  /** Called instead of waiting. */
  readonly sleep?: (ms: number, out: string) => Promise<void>;
}

/** What a command left behind. */
export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process. */
export async function runCommand(
  argv: readonly string[],
  { terminal = false, input = '', chunks, env = {}, now = Date.now, signal, onText, sleep }: Terminal = {},
): Promise<Ended> {
  const isTTY = terminal !== false;
  const columns = typeof terminal === 'number' ? terminal : 120;
  const texts = { out: '', err: '' };
  const streamOf = (name: 'out' | 'err'): { write(text: string): void; isTTY: boolean; columns: number } => ({
    write(text) {
      texts[name] += text;
      onText?.(text);
    },
    isTTY,
    columns,
  });
  const stdin = Object.assign(Readable.from(chunks ?? typed(input)), { isTTY });
  const status = await runCli(argv, {
    stdin,
    stdout: streamOf('out'),
    stderr: streamOf('err'),
    env: { NO_COLOR: '1', ...env },
    now,
    signal: signal ?? new AbortController().signal,
    sleep: (ms) => sleep?.(ms, texts.out) ?? Promise.resolve(),
    endSoon: () => undefined,
    operator: () => 'ann@laptop',
  });
  return { status, ...texts };
}

async function* typed(input: NonNullable<Terminal['input']>): AsyncGenerator<string> {
  yield typeof input === 'string' ? input : await input();
}
