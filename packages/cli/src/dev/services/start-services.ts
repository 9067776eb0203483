import { DisposeStack } from '../emulators/dispose-stack.ts';
import {
  dynamoDBPackage,
  hasDynamoDBEmulator,
  startGuardedDynamoDB,
} from '../emulators/dynamodb-emulator.ts';
import { installedFolder, notInstalled } from '../emulators/installed-package.ts';
import { startKinesisEmulator } from '../emulators/kinesis-emulator.ts';
import type { LocalService, StartOptions } from '../emulators/local-service.ts';
import { startSqsEmulator } from '../emulators/sqs-emulator.ts';
import { type Places, portError } from '../places.ts';
import type { DevStack } from '../stack.ts';
import { createQueues } from './create-queues.ts';
import { createStreams } from './create-streams.ts';
import { createTables, type MadeTables } from './create-tables.ts';

/** The local services, with the queues, tables and streams of a template in them. */
export interface Services {
  readonly places: Places;
  readonly running: readonly LocalService[];
  /** The template's features that the emulators lack, a sentence each. */
  readonly notes: readonly string[];
  /** Creates the resources that a changed template adds, and services for them. Removed ones stay. */
  apply(stack: DevStack): Promise<void>;
  /** Stops all services; their data is lost. */
  stop(): Promise<void>;
}

/**
 * Starts the emulators that a template needs, at the addresses it was read with, and creates its resources.
 * Throws a `ConfigurationError` that names the packages to install if any is missing.
 */
export async function startServices(
  stack: DevStack,
  places: Places,
  allowedHosts?: readonly string[],
): Promise<Services> {
  const services = new LocalServices(places, allowedHosts);
  try {
    await services.apply(stack);
  } catch (error) {
    await services.stop();
    throw error;
  }
  return services;
}

class LocalServices implements Services {
  readonly places: Places;
  readonly running: LocalService[] = [];
  notes: readonly string[] = [];
  readonly #cleanup = new DisposeStack();
  readonly #tables: MadeTables = new Map();

  readonly #allowedHosts: readonly string[] | undefined;

  constructor(places: Places, allowedHosts: readonly string[] | undefined) {
    this.places = places;
    this.#allowedHosts = allowedHosts;
  }

  async apply(stack: DevStack): Promise<void> {
    const notes: string[] = [];
    const missing = missingPackages(stack);
    if (missing.length > 0) throw notInstalled(missing);
    if (stack.queues.length > 0) {
      await this.#start(this.places.sqs, startSqsEmulator);
      await createQueues(this.places, stack.queues);
    }
    if (stack.tables.length > 0) {
      await this.#start(this.places.dynamodb, startGuardedDynamoDB);
      notes.push(...this.#withoutStreams(stack));
      notes.push(...(await createTables(this.places, stack.tables, this.#tables)));
    }
    if (stack.streams.length > 0) {
      await this.#start(this.places.kinesis, startKinesisEmulator);
      await createStreams(this.places, stack.streams);
    }
    this.notes = notes;
  }

  stop(): Promise<void> {
    return this.#cleanup.run();
  }

  async #start(place: string, start: (options: StartOptions) => Promise<LocalService>): Promise<void> {
    if (this.running.some(({ endpoint }) => endpoint === place)) return;
    const options = { port: Number(new URL(place).port), allowedHosts: this.#allowedHosts };
    const service = await start(options).catch((error: unknown) => {
      throw portError(error, place);
    });
    this.running.push(service);
    this.#cleanup.defer(() => service.stop());
  }

  #withoutStreams({ tables }: DevStack): readonly string[] {
    if (!this.running.some(({ name }) => name === 'dynalite')) return [];
    const withStream = tables.filter(({ definition }) => definition['StreamSpecification'] !== undefined);
    return withStream.map(
      ({ id }) =>
        `The stream of ${id} has no records here, because dynalite has no streams. On Linux, ` +
        '`npm install --save-dev @dynoxide/linux-x64` adds an emulator that has them.',
    );
  }
}

/** Returns all missing packages of emulators that a template needs, for one `npm install`. */
export function missingPackages({ queues, tables, streams }: DevStack): readonly string[] {
  const missing: string[] = [];
  if (queues.length > 0 && installedFolder('fauxqs') === undefined) missing.push('fauxqs');
  if (tables.length > 0 && !hasDynamoDBEmulator()) missing.push(dynamoDBPackage());
  if (streams.length > 0 && installedFolder('kinesis-local') === undefined) missing.push('kinesis-local');
  return missing;
}
