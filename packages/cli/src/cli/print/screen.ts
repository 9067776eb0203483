import { stripVTControlCharacters, styleText } from 'node:util';
import type { OutputStream, ProcessIo } from '../process-io.ts';
import { type Column, tableLines } from './table.ts';
import { isoTime } from '../../tool-base/iso-time.ts';
import { relativeTime } from './times.ts';
import { visibleJson, visibleJsonLines } from '../../text/escape-controls.ts';

/** The style of a text on a terminal with colours. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * The output of a command: results go to standard output, everything else to standard error. Text from
 * elsewhere must have gone through `escapeControls`.
 */
export interface Screen {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  readonly isJson: boolean;
  readonly hasColors: boolean;
  /** The width of the terminal; undefined if standard output is not one. */
  readonly width: number | undefined;
  /** Prints a whole result that is already laid out and escaped. */
  text(text: string): void;
  /** Prints a line of the result. */
  line(text?: string): void;
  /** Prints a line about the result. */
  note(text: string): void;
  /** Prints a line about the result with `--verbose` only. */
  detail(text: string): void;
  /** Prints a table. Default: as the result. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[], to?: 'result' | 'note'): void;
  /** Prints the result as JSON: indented, or on one line if many documents follow one another. */
  json(value: unknown, layout?: 'document' | 'line'): void;
  /** Returns the text in this style, if results are coloured. */
  paint(style: Style, text: string): string;
  /** Returns a time in epoch milliseconds as text: relative on a terminal, else ISO 8601. */
  time(time: number | undefined): string;
  /**
   * Shows the progress on a terminal, in a line that the next one replaces; undefined removes it. Shows
   * nothing in the first second, in which most commands end.
   */
  progress(text: string | undefined): void;
  /** Clears the terminal. */
  clear(): void;
}

/** The output options of a command. */
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
  // Texts are painted for the terminal of the results; standard error may be a file beside it.
  const isPlain = hasColors && !showsColors(stderr, env, options);
  const write = (stream: OutputStream, text: string): void =>
    void stream.write(`${stream === stderr && isPlain ? stripVTControlCharacters(text) : text}\n`);
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
    json(value, layout = 'document') {
      if (layout === 'line') write(stdout, visibleJson(value));
      else for (const lines of visibleJsonLines(value)) stdout.write(lines);
    },
    paint: (style, text) => (hasColors ? paintWith(style, text) : text),
    time(time) {
      if (time === undefined) return '';
      return isTerminal ? relativeTime(time, surroundings.now()) : (isoTime(time) ?? '?');
    },
    progress: progressLine(surroundings),
    clear: () => void stdout.write('\u001B[H\u001B[2J\u001B[3J'),
  };
}

/** Follows no-color.org and Node.js: `--no-color`, NO_COLOR, FORCE_COLOR, then whether it is a terminal. */
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

/** The time without progress output. */
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
