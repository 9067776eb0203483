/** Node's globals that the library and the scheduler of the simulation look at; imported before them. */
import * as builtIns from './node-builtins.ts';

const given = globalThis as { process?: unknown; Buffer?: unknown; setImmediate?: unknown };

given.process ??= { env: {}, getBuiltinModule: () => builtIns, emitWarning: () => undefined };
given.Buffer ??= builtIns.Buffer;

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
