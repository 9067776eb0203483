/** Node's globals that the library and the scheduler of the simulation look at; imported before them. */
const given = globalThis as { process?: unknown; setImmediate?: unknown };

/** The parts of `node:util` that check handlers and show values in messages of errors. */
const util = {
  inspect: Object.assign((value: unknown): string => JSON.stringify(value) ?? String(value), {
    custom: Symbol('inspect'),
  }),
  types: {
    isGeneratorFunction: (value: unknown): boolean =>
      Object.prototype.toString.call(value).includes('Generator'),
  },
};

given.process ??= {
  env: {},
  getBuiltinModule: (name: string) => (name === 'node:util' ? util : undefined),
  emitWarning: () => undefined,
};

/** After everything that is due has run, as Node's, and not after four milliseconds, as a timer. */
given.setImmediate ??= (run: () => void): void => {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    port1.close();
    run();
  });
  port1.start();
  port2.postMessage(undefined);
};

export {};
