/**
 * Loads a built-in module of Node on first use. An `import` in an ES module loads all that it exports: with
 * `node:http` all of `fetch` (Node 22 and later), which takes longer than a function's own code.
 */
export const builtIn: typeof process.getBuiltinModule = process.getBuiltinModule;

/** Loads a package beside a bundle. Unlike `import`, this searches NODE_PATH, as Lambda's runtime needs. */
export function requirePackage(name: string): unknown {
  return builtIn('node:module').createRequire(`${process.cwd()}/`)(name);
}
