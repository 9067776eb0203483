import type { AnswerMessage, JobMessage, JobName, Jobs } from './jobs.ts';

/**
 * One process for one library: it takes jobs over IPC, one at a time, and ends with its parent. What a job
 * needs is loaded with the first of its kind, so that no library is in a process that measures another.
 */
const run: { readonly [Name in JobName]: (ask: Jobs[Name]['ask']) => Promise<Jobs[Name]['answer']> } = {
  batches: async (ask) => (await import('./run-batches.ts')).runBatches(ask),
  profile: async (ask) => (await import('./run-batches.ts')).runProfiled(ask),
  memory: async (ask) => (await import('./run-memory.ts')).runMemory(ask),
  hashes: async (ask) => (await import('./run-hashes.ts')).runHashes(ask),
  queue: async (ask) => (await import('./run-queue.ts')).runQueue(ask),
  send: async (ask) => (await import('./run-send.ts')).runSend(ask),
};

process.on('message', (message) => {
  void perform(message as JobMessage).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
// The parent says when to end: at Ctrl-C it wants to close the emulator first.
process.on('SIGINT', () => undefined);

async function perform({ name, ask }: JobMessage): Promise<AnswerMessage> {
  try {
    return { answer: await (run[name] as (ask: unknown) => Promise<unknown>)(ask) };
  } catch (thrown) {
    return { error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
  }
}
