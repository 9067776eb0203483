/**
 * A built-in module of Node. An `import` of one into an ES module reads all that it exports, and so loads what Node leaves for
 * its first use: with `node:http` the whole of `fetch` (Node 22 and later), with `node:fs` its promises, with `node:util` and
 * `node:module` more than is asked for. At the start of a function that takes longer than its own code.
 */
export const builtIn: typeof process.getBuiltinModule = process.getBuiltinModule;
