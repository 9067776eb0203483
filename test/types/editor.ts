import path from 'node:path';
import ts from 'typescript-api';

/** What an editor shows of one file of code: its errors, and what hovering over a name says. */
export interface Editor {
  /** Each error, as `line: text`. */
  readonly errors: readonly string[];
  /** Says what the first place of a text is. */
  hover(text: string): string;
}

/** A file with a prelude, then one mistake a line, then code that is right. */
export interface Mistakes {
  readonly prelude: string;
  /** Each line, and what TypeScript says of it. */
  readonly mistakes: readonly (readonly [line: string, text: string])[];
  readonly right: string;
}

/** A mistake as it is opened by `openMistakes`. */
export interface Mistake {
  readonly line: string;
  readonly text: string;
  /** The number of its line. */
  readonly number: number;
}

/** Returns the mistakes with the numbers of their lines, for `it.each`. */
export function numbered({ prelude, mistakes }: Mistakes): Mistake[] {
  const first = prelude.split('\n').length;
  return mistakes.map(([line, text], index) => ({ line, text, number: first + index }));
}

/** Opens the file in an editor. */
export function openMistakes({ prelude, mistakes, right }: Mistakes): Editor {
  return openInEditor(prelude + mistakes.map(([line]) => line).join('\n') + right);
}

/** Returns what the editor says of a line. */
export function saidOf(number: number, { errors }: Editor): string[] {
  const start = `${number}: `;
  return errors.filter((error) => error.startsWith(start)).map((error) => error.slice(start.length));
}

/** Returns the numbers of the lines with an error, each once. */
export function linesWithErrors({ errors }: Editor): number[] {
  return [...new Set(errors.map((error) => Number(error.split(':')[0])))];
}

/** Opens code as a file of a user whose compiler is strict. */
function openInEditor(code: string): Editor {
  const root = path.resolve('.');
  const file = path.join(root, 'test/types/opened.ts');
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  // As most users have it: with the option on, an error of an absent value says so first.
  const compilerOptions = {
    ...options,
    exactOptionalPropertyTypes: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  const service = ts.createLanguageService({
    getCompilationSettings: () => compilerOptions,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === file ? code : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (one) => ts.getDefaultLibFilePath(one),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? code : ts.sys.readFile(name)),
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
  });
  const lineOf = (position = 0): number => code.slice(0, position).split('\n').length;
  return {
    errors: service
      .getSemanticDiagnostics(file)
      .map(
        ({ start, messageText }) => `${lineOf(start)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      ),
    hover(text) {
      const info = service.getQuickInfoAtPosition(file, code.indexOf(text) + 1);
      return ts.displayPartsToString(info?.displayParts).split('\nimport')[0] ?? '';
    },
  };
}
