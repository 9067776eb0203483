/**
 * A program: one request over the direct transport to the server in its first argument. Prints the output and the timers that keep
 * the process from ending, or the error's name.
 */
import { systemClock } from '../../src/base/clock.ts';
import { directTransport } from '../../src/stores/dynamodb/direct-transport.ts';

const transport = directTransport({
  endpoint: { url: new URL(process.argv[2] ?? ''), region: 'us-east-1' },
  credentials: () => ({ accessKeyId: 'local', secretAccessKey: 'local' }),
  maxAttempts: 2,
  userAgent: 'test',
  clock: systemClock,
  random: Math.random,
});
try {
  const output = await transport.send('GetItem', { TableName: 'claims', Key: { id: { S: 'k' } } });
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
  process.stdout.write(JSON.stringify({ ...output, timers }));
} catch (thrown) {
  const { name, code, $metadata } = thrown as { name: string; code?: string; $metadata?: object };
  process.stdout.write(JSON.stringify({ name, code, $metadata }));
}
