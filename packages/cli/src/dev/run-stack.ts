import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '../tool-base/clock.ts';
import { asynchronousInvocations, RETRIES_ARE_SOONER } from './asynchronous/asynchronous-invocations.ts';
import { DisposeStack } from './emulators/dispose-stack.ts';
import { emulatorClientConfig } from './emulators/emulator-environment.ts';
import { startEventBus } from './events/start-event-bus.ts';
import { startSchedules } from './events/start-schedules.ts';
import type { Esbuild } from './functions/function-build.ts';
import { type RunningFunctions, runFunctions } from './functions/running-functions.ts';
import { startHttp } from './http/start-http.ts';
import { QueueMappings } from './mappings/queue-mappings.ts';
import { startStreamMappings } from './mappings/stream-mappings.ts';
import { LOCAL_REGION, type Places } from './places.ts';
import type { OnDevEvent } from './report/dev-event.ts';
import { sendToQueues } from './services/send-message.ts';
import { type Services, startServices } from './services/start-services.ts';
import type { DevStack, DevTrigger, QueueTarget } from './stack.ts';

export interface RunStackOptions {
  readonly stack: DevStack;
  /** The addresses that the stack was read with. */
  readonly places: Places;
  readonly esbuild: Esbuild;
  /** The folder for builds. The caller removes it. */
  readonly folder: string;
  /** Whether to rebuild changed sources. Default: true. */
  readonly reloads?: boolean;
  /** How late an answer may be, in milliseconds. Default: 0. */
  readonly graceMs?: number;
  /** The debugger ports, by function id. Default: none. */
  readonly inspectPorts?: ReadonlyMap<string, number> | undefined;
  /** Host names that requests may use besides those of loopback. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The port of the first HTTP API or function URL; the others have the next ones. Default: free ones. */
  readonly httpPort?: number | undefined;
  readonly onEvent: OnDevEvent;
}

/** A template that is running on this machine. */
export interface RunningStack {
  readonly services: Services;
  readonly functions: RunningFunctions;
  /** The addresses of HTTP APIs and function URLs, by logical id. */
  readonly httpAddresses: ReadonlyMap<string, string>;
  /** The differences from AWS, a sentence each. */
  readonly notes: readonly string[];
  /** Stops receiving from queues, and resolves when the batches in flight have ended. */
  drain(): Promise<void>;
  /** Kills the running invocations, and stops everything else. */
  stop(): Promise<void>;
}

/** Starts the services and functions of a template, and invokes the functions for their events. */
export async function runStack(options: RunStackOptions): Promise<RunningStack> {
  const cleanup = new DisposeStack();
  try {
    const services = await startServices(options.stack, options.places, options.allowedHosts);
    cleanup.defer(() => services.stop());
    const functions = await runFunctions({
      ...options,
      functions: options.stack.functions,
      region: LOCAL_REGION,
    });
    const queues = startMappings(options, functions, cleanup);
    const isOnEvents = hasTrigger(options.stack, 'rule') || hasTrigger(options.stack, 'schedule');
    if (isOnEvents) await startEvents(options, functions, cleanup);
    const http = await startHttp({
      ...options,
      port: options.httpPort,
      clock: systemClock,
      invoke: functions.invoke,
    });
    cleanup.defer(() => http.stop());
    const notes = [...services.notes, ...(isOnEvents ? [RETRIES_ARE_SOONER] : [])];
    return {
      services,
      functions,
      httpAddresses: http.addresses,
      notes,
      drain: () => queues.stop(),
      stop: () => cleanup.run(),
    };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

/** Returns whether a function or a queue has a trigger of this kind. */
export function hasTrigger({ functions, queueTargets }: DevStack, kind: DevTrigger['kind']): boolean {
  return [
    ...functions.flatMap(({ triggers }) => triggers),
    ...queueTargets.map(({ trigger }) => trigger),
  ].some((trigger) => trigger.kind === kind);
}

function startMappings(
  { stack, places, onEvent }: RunStackOptions,
  functions: RunningFunctions,
  cleanup: DisposeStack,
): QueueMappings {
  cleanup.defer(() => functions.stop());
  const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: places.sqs });
  cleanup.defer(() => sqs.destroy());
  const queues = new QueueMappings({ sqs, stack, functions, onEvent });
  const streams = startStreamMappings({
    stack,
    places,
    clock: systemClock,
    invoke: functions.invoke,
    onDiscarded: (functionId, { onFailure }, { condition, attempts }) => {
      const sentTo = onFailure === undefined ? [] : [onFailure];
      onEvent({ type: 'givenUp', functionId, condition, attempts, sentTo });
    },
    onTrouble: (_functionId, { streamArn }, error) =>
      onEvent({ type: 'trouble', what: `the stream ${streamArn}`, error }),
  });
  for (const fn of stack.functions) void queues.start(fn);
  cleanup.defer(async () => {
    // Stopping the functions ends the batches in flight.
    await Promise.all([queues.stop(), streams.stop(), functions.stop()]);
  });
  return queues;
}

/** Starts the event bus and the schedules, and the asynchronous invocations that they cause. */
async function startEvents(
  { stack, places, allowedHosts, onEvent }: RunStackOptions,
  { invoke }: RunningFunctions,
  cleanup: DisposeStack,
): Promise<void> {
  const send = sendToQueues(places);
  const asynchronous = asynchronousInvocations({
    stack: () => stack,
    invoke,
    clock: systemClock,
    send,
    onGivenUp: ({ condition, attempts }, functionId, sentTo) =>
      onEvent({ type: 'givenUp', functionId, condition, attempts, sentTo }),
    onTrouble: (error, functionId) =>
      onEvent({ type: 'trouble', what: `the queue for failed events of ${functionId}`, error }),
  });
  cleanup.defer(() => asynchronous.stop());
  const deliver = (functionId: string, event: unknown): void => asynchronous.enqueue(functionId, event);
  const sendTo = ({ queueArn, messageGroupId, trigger }: QueueTarget, event: unknown): void => {
    send(queueArn, trigger.input ?? JSON.stringify(event), {}, messageGroupId).catch((error: unknown) =>
      onEvent({ type: 'trouble', what: `the queue ${queueArn}`, error, isLost: true }),
    );
  };
  const bus = await startEventBus({
    place: places.eventbridge,
    allowedHosts,
    clock: systemClock,
    stack: () => stack,
    deliver,
    sendTo,
  });
  cleanup.defer(() => bus.stop());
  const schedules = startSchedules({ stack, clock: systemClock, deliver, sendTo });
  cleanup.defer(() => schedules.stop());
}
