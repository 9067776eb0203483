import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api'; // TypeScript 7 has no API for programs yet

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Modules by their paths in this repository; undefined: the text is read from the disk. */
export type Modules = Readonly<Record<string, string | undefined>>;

/** What a module exports, an alias resolved, and where it is declared. */
export interface Exported {
  readonly name: string;
  readonly symbol: ts.Symbol;
  /** The path of the file in this repository. */
  readonly file: string;
}

/** The entries' files of `src`. */
export function modulesOfEntries(): Modules {
  const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { import: { default: string } }>;
  };
  const compiled = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.import.default],
  );
  return Object.fromEntries(
    compiled.map((file) => [file.replace('./dist/esm/', 'src/').replace(/\.js$/, '.ts'), undefined]),
  );
}

/** Everything that the modules export, each symbol once. */
export function exportsOf(modules: Modules): {
  readonly checker: ts.TypeChecker;
  readonly exported: Exported[];
} {
  const program = programOf(modules);
  const checker = program.getTypeChecker();
  const found = new Map<ts.Symbol, Exported>();
  for (const file of Object.keys(modules)) {
    const source = program.getSourceFile(path.join(ROOT, file));
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    for (const alias of checker.getExportsOfModule(module)) {
      const symbol = (alias.flags & ts.SymbolFlags.Alias) === 0 ? alias : checker.getAliasedSymbol(alias);
      const [declaration] = symbol.declarations ?? [];
      if (declaration === undefined) throw new Error(`${file} exports ${alias.name}, which is nowhere`);
      const where = path.relative(ROOT, declaration.getSourceFile().fileName);
      found.set(symbol, { name: alias.name, symbol, file: where });
    }
  }
  return { checker, exported: [...found.values()] };
}

/** Of the disk; the libraries' declarations are read once for all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function programOf(modules: Modules): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    noLib: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile } = host;
  host.getSourceFile = (name, languageVersion, ...rest) => {
    const given = modules[path.relative(ROOT, name)];
    if (given !== undefined) return ts.createSourceFile(name, given, languageVersion, true);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, languageVersion, ...rest));
    return parsed.get(name);
  };
  const cache = ts.createModuleResolutionCache(ROOT, (name) => name, options);
  // Packages are not read: what they declare is documented by them, and would take most of the time.
  host.resolveModuleNameLiterals = (literals, file, redirected, compilerOptions, source) =>
    literals.map((literal) => {
      if (!literal.text.startsWith('.')) return { resolvedModule: undefined };
      const mode = ts.getModeForUsageLocation(source, literal, compilerOptions);
      return ts.resolveModuleName(literal.text, file, compilerOptions, host, cache, redirected, mode);
    });
  const files = Object.keys(modules).map((file) => path.join(ROOT, file));
  return ts.createProgram(files, options, host);
}
