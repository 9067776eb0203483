/**
 * Returns the messages that a batch's answer gives back, read as Lambda reads it. Without a list, or with
 * an empty one, it gives back none. An entry without an identifier, or with an unknown one, gives back all.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 *
 * @param answer The answer of a handler whose event source mapping has `ReportBatchItemFailures`.
 * @param messageIds The ids of the event's records.
 *
 * @example
 * const process = createBatchProcessor(handler, { store });
 * const answer = await process(sqsEvent([{ messageId: 'm-1', body: {} }]), lambdaContext());
 * console.log(failedItems(answer, ['m-1']).size); // 0
 */
export function failedItems(answer: unknown, messageIds: readonly string[]): ReadonlySet<string> {
  const failures = member(answer, 'batchItemFailures');
  if (failures === undefined || failures === null) return new Set();
  if (!Array.isArray(failures)) return new Set(messageIds);

  const known = new Set(messageIds);
  const failed = new Set<string>();
  for (const failure of failures) {
    const identifier = member(failure, 'itemIdentifier');
    if (typeof identifier !== 'string' || !known.has(identifier)) return known;
    failed.add(identifier);
  }
  return failed;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
