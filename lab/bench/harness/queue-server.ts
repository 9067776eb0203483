/** A program: SQS, in a process of its own, so that nothing of it counts as a client's work. It ends with its parent. */
import { startSqsEmulator } from '../../../packages/cli/src/dev/emulators/sqs-emulator.ts';

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
const { endpoint } = await startSqsEmulator();
process.send?.(endpoint);
