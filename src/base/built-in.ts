/**
 * A built-in module of Node, at its first use. To `import` one into an ES module loads all that it exports: with `node:http`
 * the whole of `fetch` (Node 22 and later), which takes longer than a function's own code.
 */
export const builtIn: typeof process.getBuiltinModule = process.getBuiltinModule;
