import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { isBad, type LineBody, lineBody } from '../../sending/line-body.ts';
import { openLines } from '../lines/open-lines.ts';
import { readLines } from '../lines/read-lines.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** The options that name the bodies of an event. */
export interface BodyOptions {
  readonly bodies?: string;
  readonly body?: readonly string[];
  readonly text?: boolean;
}

/** A body and its place: `orders.jsonl:7`. */
export interface PlacedBody extends LineBody {
  readonly place: string;
}

/** Lambda's largest synchronous payload; no event is larger. */
const MOST_BYTES = 6_291_456;

/** Reads all bodies. Throws a `CliError` that names the file and the line of a body that cannot be read. */
export async function collectBodies(context: Context, options: BodyOptions): Promise<PlacedBody[]> {
  const { bodies: file, body: given = [] } = options;
  if ((file === undefined) === (given.length === 0)) {
    throw new UsageError('Name the bodies: --bodies FILE, or --body TEXT.');
  }
  if (file === undefined) return given.map((text, index) => ofText(text, `--body ${index + 1}`));
  const source = await openLines(file, context);
  const bodies: PlacedBody[] = [];
  for await (const { lines, bytesRead } of readLines(source.chunks, MOST_BYTES)) {
    if (bytesRead > MOST_BYTES)
      throw new CliError(
        `${source.name} has more than 6 MB, the most that an event can have: give fewer lines.`,
      );
    for (const line of lines) {
      const place = `${source.name}:${line.number}`;
      const read = lineBody(line, options.text === true);
      if (isBad(read)) throw new CliError(`${escapeControls(place)} ${read.problem}.`);
      bodies.push({ ...read, place });
    }
  }
  if (bodies.length === 0) throw new CliError(`${source.name} has no lines: give one body in each.`);
  return bodies;
}

/** Parses the text, if it is JSON. The body stays as it was given. */
function ofText(text: string, place: string): PlacedBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  return { body: text, value, place };
}
