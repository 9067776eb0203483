import { StringDecoder } from 'node:string_decoder';

/** Longer lines are split: a function may print without a line feed. */
const LONGEST_LINE = 1_048_576;

/** A splitter of a stream into lines and marks, which separate the output of invocations. */
export interface OutputLines {
  write(chunk: Buffer): void;
  /** Reports the last line, if it lacks a line feed. */
  end(): void;
}

/** Creates a splitter. `onMark` is called for a mark, after the lines before it. */
export function outputLines(mark: string, onLine: (line: string) => void, onMark: () => void): OutputLines {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const tell = (line: string): void => {
    if (!line.endsWith(mark)) return onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    // The output before the mark may lack a line feed.
    if (line.length > mark.length) onLine(line.slice(0, -mark.length));
    onMark();
  };
  return {
    write(chunk) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) tell(line);
      while (rest.length > LONGEST_LINE) {
        onLine(rest.slice(0, LONGEST_LINE));
        rest = rest.slice(LONGEST_LINE);
      }
    },
    end() {
      if (rest !== '') tell(rest);
      rest = '';
    },
  };
}
