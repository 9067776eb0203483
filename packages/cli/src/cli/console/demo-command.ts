import { startConsoleDemo } from '../../console-demo/start-console-demo.ts';
import { explainError } from '../explain-error.ts';
import type { Run } from '../subcommand.ts';
import { serveConsole } from './open-console.ts';

/** The options of `console --demo`. */
export interface DemoOptions {
  readonly seed?: number;
  readonly rate?: number;
  readonly operator?: string;
  readonly port?: number;
  readonly host?: string;
  readonly open?: boolean;
  readonly readEvery?: number | 'none';
}

const DEFAULT_RATE = 3;

/** `console --demo` */
export const demoCommand: Run<DemoOptions> = async (context, options) => {
  const { screen } = context;
  const { seed = 1, rate = DEFAULT_RATE, operator, port, host, readEvery = 2 } = options;
  const { stop, services, ...parts } = await startConsoleDemo({
    seed,
    rate,
    onTrouble: (error) => screen.note(`Error in the demo itself: ${explainError(error).line}`),
  });
  try {
    const emulators = services.map(({ name }) => name).join(' and ');
    screen.note(
      `Made-up orders and mails, ${rate} a second, on ${emulators} of this machine. Nothing is kept.`,
    );
    const shown = {
      ...parts,
      allowChanges: true,
      operator,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(readEvery !== 'none' && { readEveryMs: readEvery * 1_000 }),
    };
    if (!context.signal.aborted) await serveConsole(context, shown, options.open === true);
  } finally {
    await stop();
  }
  return 0;
};
