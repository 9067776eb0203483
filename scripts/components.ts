// Installs and starts the real programs that the tests run against. See --help.
import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import type { Component } from '../test/support/components/component.ts';
import { componentNamed, components } from '../test/support/components/index.ts';

const program = new Command()
  .name('components')
  .description(
    'Installs and starts the real programs that the tests run against. They are kept in the folder that ' +
      'BATCHLATCH_CACHE names (default: ~/.cache/batchlatch).',
  )
  .addHelpText(
    'after',
    `
Examples:
  node --import tsx scripts/components.ts list
  node --import tsx scripts/components.ts install
  node --import tsx scripts/components.ts install dynamodb-local toxiproxy
  node --import tsx scripts/components.ts start dynamodb-local --port 8000`,
  );

program.command('list').description('show the components, and what this machine lacks for them').action(list);

program
  .command('install')
  .description('install components, by default all; what is installed already is left as it is')
  .argument('[names...]', 'components, as `list` shows them')
  .action(install);

program
  .command('start')
  .description('start a component, print its endpoint, and stop it on Ctrl-C')
  .argument('<name>', 'a component, as `list` shows it')
  .option('--port <port>', 'the port to listen on (default: a free one)', parsePort)
  .action(start);

await program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

function list(): void {
  for (const component of components) {
    const missing = component.whyMissing();
    console.log(
      `${label(component)}${component.purpose}${missing === undefined ? '' : `\n  MISSING: ${missing}`}`,
    );
  }
}

async function install(names: readonly string[]): Promise<void> {
  const chosen = names.length === 0 ? components : names.map(componentNamed);
  for (const component of chosen) {
    const startedAt = performance.now();
    const trouble = await installed(component);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${label(component)}${seconds.padStart(6)} s  ${trouble ?? 'ready'}`);
    if (trouble !== undefined) process.exitCode = 1;
  }
}

/** Why it could not be installed; undefined when it is. */
async function installed(component: Component): Promise<string | undefined> {
  const missing = component.whyMissing();
  if (missing !== undefined) return `MISSING: ${missing}`;
  try {
    await component.install();
    return undefined;
  } catch (error) {
    return `FAILED: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function start(name: string, options: { port?: number }): Promise<void> {
  const component = componentNamed(name);
  if (component.start === undefined) throw new Error(`${name} is run by tests; it cannot be started alone`);
  // Listened for from now on: an interruption while it starts has to stop it, too.
  const interrupted = Promise.race([
    once(process, 'SIGINT'),
    once(process, 'SIGTERM'),
    once(process, 'SIGHUP'),
  ]);
  const service = await component.start({ port: options.port });
  console.log(service.endpoint);
  await interrupted;
  await service.stop();
}

function label({ name, version }: Component): string {
  return `${name.padEnd(16)}${version.padEnd(10)}`;
}

function parsePort(value: string): number {
  const port = Number(value);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError('Expected a port from 1 to 65535.');
}
