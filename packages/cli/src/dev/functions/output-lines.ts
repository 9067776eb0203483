import { StringDecoder } from 'node:string_decoder';

/** A longer line is cut into several: a function may print without end. */
const LONGEST_LINE = 1_048_576;

/** The lines of a stream, up to the marks between the output of one invocation and the next. */
export interface OutputLines {
  write(chunk: Buffer): void;
  /** What was printed last, without a line feed. */
  end(): void;
}

/** `onMark` is called where the mark stands, with everything before it told already. */
export function outputLines(mark: string, onLine: (line: string) => void, onMark: () => void): OutputLines {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const tell = (line: string): void => {
    if (!line.endsWith(mark)) return onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    // What was printed just before may lack its line feed.
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
