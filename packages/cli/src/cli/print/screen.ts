import { styleText } from 'node:util';
import type { OutputStream, ProcessIo } from '../process-io.ts';
import { type Column, tableLines } from './table.ts';
import { isoTime } from '../../tool-base/iso-time.ts';
import { relativeTime } from './times.ts';
import { visibleJson } from '../../text/escape-controls.ts';

/** How a text can be shown where colours are. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * What a command writes: results to standard output, and everything about them to standard error. Texts that come from
 * elsewhere must have gone through `visible`.
 */
export interface Screen {
  /** Whether results are read on a terminal. */
  readonly isTerminal: boolean;
  /** Whether results are JSON. */
  readonly isJson: boolean;
  /** Whether results are shown in colours. */
  readonly hasColors: boolean;
  /** The width of the terminal; undefined where results are not read on one. */
  readonly width: number | undefined;
  /** The whole result as text that is laid out, and safe to show, already. */
  text(text: string): void;
  /** A line of the result. */
  line(text?: string): void;
  /** A line about the result. */
  note(text: string): void;
  /** A line about the result for who asked for more. */
  detail(text: string): void;
  /** A table, as a result, or beside it. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[], to?: 'result' | 'note'): void;
  /** The result as JSON: laid out on a terminal and for one document, in one line if many follow one another. */
  json(value: unknown, layout?: 'document' | 'line'): void;
  /** The text in this style, where results are shown in colours. */
  paint(style: Style, text: string): string;
  /** A time in epoch milliseconds: relative on a terminal, ISO 8601 elsewhere. */
  time(time: number | undefined): string;
  /**
   * Says on a terminal how far it is, in a line that is replaced by the next; undefined takes it away. Nothing is said in the
   * first second: most is done by then.
   */
  progress(text: string | undefined): void;
  /** Starts the terminal's page anew. */
  clear(): void;
}

/** The options that say how results are shown. */
export interface ScreenOptions {
  readonly json?: boolean;
  readonly color?: boolean;
  readonly verbose?: boolean;
}

export function screenOf(surroundings: ProcessIo, options: ScreenOptions): Screen {
  const { stdout, stderr, env } = surroundings;
  const isTerminal = stdout.isTTY === true;
  const hasColors = options.json !== true && showsColors(stdout, env, options);
  const widthOf = ({ isTTY, columns }: OutputStream): number | undefined =>
    isTTY === true ? Math.max(columns || 80, 20) : undefined;
  const write = (stream: OutputStream, text: string): void => void stream.write(`${text}\n`);
  return {
    isTerminal,
    isJson: options.json === true,
    hasColors,
    width: widthOf(stdout),
    text: (text) => write(stdout, text),
    line: (text = '') => write(stdout, text),
    note: (text) => write(stderr, text),
    detail: (text) => {
      if (options.verbose === true) write(stderr, text);
    },
    table(columns, rows, to = 'result') {
      const stream = to === 'result' ? stdout : stderr;
      const [head = '', ...lines] = tableLines(columns, rows, widthOf(stream));
      for (const line of [hasColors ? paintWith('bold', head) : head, ...lines]) write(stream, line);
    },
    json: (value, layout = 'document') =>
      write(stdout, visibleJson(value, layout === 'document' ? 2 : undefined)),
    paint: (style, text) => (hasColors ? paintWith(style, text) : text),
    time(time) {
      if (time === undefined) return '';
      return isTerminal ? relativeTime(time, surroundings.now()) : (isoTime(time) ?? '?');
    },
    progress: progressLine(surroundings),
    clear: () => void stdout.write('\u001B[H\u001B[2J\u001B[3J'),
  };
}

/** As no-color.org and Node.js have it: `--no-color`, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal. */
export function showsColors(
  stream: OutputStream,
  env: ProcessIo['env'],
  { color = true }: { readonly color?: boolean },
): boolean {
  if (!color || isSet(env['NO_COLOR'])) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** How long nothing is said of how far it is. */
const QUIET_MS = 1_000;

function progressLine({ stderr, now }: ProcessIo): Screen['progress'] {
  let since: number | undefined;
  let isShown = false;
  return (text) => {
    if (stderr.isTTY !== true) return;
    if (text === undefined) {
      if (isShown) stderr.write('\r\u001B[K');
      since = undefined;
      isShown = false;
      return;
    }
    since ??= now();
    if (now() - since < QUIET_MS) return;
    isShown = true;
    stderr.write(`\r\u001B[K${text}`);
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function paintWith(style: Style, text: string): string {
  return text === '' ? '' : styleText(style, text, { validateStream: false });
}
