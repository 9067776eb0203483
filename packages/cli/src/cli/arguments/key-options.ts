import { type Command, Option } from 'commander';
import { payloadHash } from 'batchlatch/core';
import { type KeyOfMessage, processorKey, type ProcessorKeyOptions } from 'batchlatch/operations';
import { UsageError } from '../cli-error.ts';
import { textAt } from '../../sending/line-body.ts';

/** The options that say how a processor derives its keys. */
export interface KeyOptions {
  readonly namespace?: string;
  readonly keyField?: string;
  /** `payloadHash()` of these fields, or of all. */
  readonly keyHash?: readonly string[] | true;
  readonly keyExclude?: readonly string[];
}

/** Adds the options under `heading`. `of` ends the sentence about their use. */
export function keyOptions(command: Command, heading: string, of: string): Command {
  const options = [
    new Option(
      '--namespace <namespace>',
      `namespace of the processor, ${of}; its keys are message ids unless another option says so`,
    ),
    new Option('--key-field <path>', 'its keys are this field of the body, such as orderId'),
    new Option('--key-hash [paths...]', 'its keys are payloadHash(): of these fields, or of the whole body'),
    new Option('--key-exclude <paths...>', 'fields that payloadHash() leaves out'),
  ];
  for (const option of options) command.addOption(option.helpGroup(heading));
  return command;
}

/** Returns how keys are derived; undefined without an option. Throws a `UsageError` for a contradiction. */
export function keyOf(options: KeyOptions): KeyOfMessage | undefined {
  const { namespace } = options;
  const key = selectorOf(options);
  if (namespace === undefined) {
    if (key === undefined) return undefined;
    throw new UsageError('Keys begin with a namespace: add --namespace NAME.');
  }
  return processorKey({ namespace, ...(key !== undefined && { key }) });
}

/** Returns whether keys come from bodies, not from message ids. */
export function areFromBodies(options: KeyOptions): boolean {
  return selectorOf(options) !== undefined;
}

function selectorOf({ keyField, keyHash, keyExclude }: KeyOptions): ProcessorKeyOptions['key'] {
  const isHash = keyHash !== undefined || keyExclude !== undefined;
  if (keyField !== undefined && isHash) {
    throw new UsageError('Keys are a field of the body or a hash: give --key-field or --key-hash, not both.');
  }
  if (keyField !== undefined) return ({ body }) => textAt(body, keyField) ?? '';
  if (!isHash) return undefined;
  if (Array.isArray(keyHash) && keyExclude !== undefined) {
    throw new UsageError('--key-exclude is for a hash of the whole body: give --key-hash without fields.');
  }
  if (keyExclude !== undefined) return payloadHash({ exclude: keyExclude });
  return payloadHash(Array.isArray(keyHash) ? { include: keyHash } : {});
}
