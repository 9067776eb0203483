/** A PostgreSQL emulator in a process of its own, on the port that the first argument names, until it is stopped. */
import { startPostgresEmulator } from './postgres-emulator.ts';

const emulator = await startPostgresEmulator({ port: Number(process.argv[2]) });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void emulator.stop().then(() => process.exit()));
}
