/**
 * Loads a built-in module of Node. The code that most functions have in their bundles takes all built-in
 * modules by it: an `import` in an ES module loads all that they export, with `node:http` all of `fetch`
 * (Node 22 and later), with `node:crypto` that of browsers. That is 1 to 2 ms of each cold start.
 */
export const builtIn: typeof process.getBuiltinModule = process.getBuiltinModule;

/** Loads a package beside a bundle. Unlike `import`, this searches NODE_PATH, as Lambda's runtime needs. */
export function requirePackage(name: string): unknown {
  return builtIn('node:module').createRequire(`${process.cwd()}/`)(name);
}
