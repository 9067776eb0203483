import { escapeControls } from '../../text/escape-controls.ts';
import type { DoctorReport, Finding, Severity } from '../finding.ts';

/** Options of the text report. */
export interface TextOptions {
  /** Whether the terminal shows colours. Default: false. */
  readonly colour?: boolean;
  /** Width of the terminal, in columns. Default: 100. */
  readonly width?: number;
  /** Printed before the line of a finding: `template.yaml:12`. */
  readonly file?: string;
}

const COLOURS: Readonly<Record<Severity, string>> = {
  error: '\u001B[31m',
  warning: '\u001B[33m',
  info: '\u001B[36m',
};
const BOLD = '\u001B[1m';
const FAINT = '\u001B[2m';
const RESET = '\u001B[0m';
const INDENT = '    ';
const NARROWEST = 40;

/** Returns the report for a terminal: each finding with reason and fix, then the checked resources. */
export function doctorText(report: DoctorReport, options: TextOptions = {}): string {
  const paint = painter(options.colour === true);
  const width = Math.max(options.width ?? 100, NARROWEST);
  const blocks = report.findings.map((finding) => findingText(finding, { paint, width, file: options.file }));
  const skipped = report.skipped.map((line) =>
    wrapped(`not judged: ${escapeControls(line)}`, width, '', '  '),
  );
  return [
    ...blocks,
    ...(skipped.length > 0 ? [paint(FAINT, skipped.join('\n'))] : []),
    wrapped(summary(report), width, '', ''),
  ].join('\n\n');
}

type Paint = (style: string, text: string) => string;

function painter(isColoured: boolean): Paint {
  return (style, text) => (isColoured ? `${style}${text}${RESET}` : text);
}

function findingText(
  { severity, code, message, why, fix, line, docs }: Finding,
  { paint, width, file }: { paint: Paint; width: number; file: string | undefined },
): string {
  const place = file === undefined ? `line ${line}` : `${escapeControls(file)}:${line}`;
  // What is deployed has no line, and no place in the file.
  const at = line === undefined ? '' : place;
  const head =
    `${paint(COLOURS[severity] + BOLD, severity)} ` +
    `${paint(BOLD, escapeControls(code))}${at === '' ? '' : paint(FAINT, `  ${at}`)}`;
  return [
    head,
    wrapped(escapeControls(message), width, '  ', '  '),
    wrapped(escapeControls(why), width, '  ', '  '),
    // Not wrapped: the lines are meant to be copied.
    ...fix.split('\n').map((one) => `${INDENT}${escapeControls(one)}`),
    ...(docs === undefined ? [] : [paint(FAINT, `  ${docs}`)]),
  ].join('\n');
}

function summary({ findings, checked }: DoctorReport): string {
  const count = (severity: Severity): number => findings.filter((one) => one.severity === severity).length;
  const looked = checked.length === 0 ? 'no resource of batchlatch' : counted(checked.length, 'resource');
  const listed = checked.length === 0 ? '' : `: ${checked.map(escapeControls).join('; ')}`;
  return (
    `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}, ${count('info')} info. ` +
    `Looked at ${looked}${listed}.`
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function wrapped(text: string, width: number, first: string, further: string): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = further;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}
