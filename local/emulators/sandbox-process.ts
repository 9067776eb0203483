/**
 * The inside of a sandbox: loads the module that the first argument names, says that it is ready, and runs
 * its `handler` for each invocation that its parent sends. Ends when its parent is gone.
 */
import '../../src/dev/emulators/quiet-sdk.ts';
import type { BatchProcessor } from 'batchlatch';
import { lambdaContext } from 'batchlatch/testing';
import type { Invocation, SandboxMessage } from './sandbox.ts';

process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole group; the parent ends its sandboxes itself, when it has put its terminal in order.
process.on('SIGINT', () => undefined);

const { handler } = (await import(process.argv[2] ?? '')) as { handler: BatchProcessor };
process.on('message', (invocation: Invocation) => void run(invocation));
tell({ type: 'ready' });

async function run({ event, requestId, functionName, deadline }: Invocation): Promise<void> {
  const context = lambdaContext({ functionName, remainingTimeMs: deadline - Date.now() });
  try {
    tell({ type: 'answer', answer: await handler(event, { ...context, awsRequestId: requestId }) });
  } catch (thrown) {
    const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
    tell({ type: 'error', name, message });
  }
}

function tell(message: SandboxMessage): void {
  process.send?.(message);
}
