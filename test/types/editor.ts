import path from 'node:path';
import ts from 'typescript-api';

/** What an editor shows of one file of code: its errors, and what hovering over a name says. */
export interface Editor {
  /** Each error, as `line: text`. */
  readonly errors: readonly string[];
  /** Says what the first place of a text is. */
  hover(text: string): string;
}

/** Opens code as a file of a user whose compiler is strict. */
export function openInEditor(code: string): Editor {
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
