import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchStatementError,
  BatchStatementRequest,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';

/** One call of the SDK: `BatchGetItem` and what it carries. */
export interface SentRequest {
  readonly operation: string;
  readonly input: unknown;
}

/** Every request that leaves the client from now on; what the SDK sends again is there again. */
export function watchRequests(client: DynamoDBClient): SentRequest[] {
  const sent: SentRequest[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      sent.push({ operation: operationOf(context), input: args.input });
      return next(args);
    },
    { step: 'deserialize', name: 'watchRequests', priority: 'high' },
  );
  return sent;
}

/**
 * Lets requests reach DynamoDB and then loses the answer, as a reset connection does; the SDK sends them
 * again by itself. `isLost` is asked once per request that leaves, with its number from 1.
 */
export function loseAnswers(
  client: DynamoDBClient,
  isLost: (nth: number, operation: string) => boolean,
): void {
  let count = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      count += 1;
      const lose = isLost(count, operationOf(context));
      const answer = await next(args);
      if (lose)
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
      return answer;
    },
    { step: 'deserialize', name: 'loseAnswers', priority: 'high' },
  );
}

/** Throws what `failure` gives for a call, before anything of it leaves. */
export function failCalls(
  client: DynamoDBClient,
  failure: (operation: string, input: unknown) => Error | undefined,
): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      const error = failure(operationOf(context), args.input);
      if (error !== undefined) throw error;
      return next(args);
    },
    { step: 'initialize', name: 'failCalls' },
  );
}

/** Runs `between` after DynamoDB has answered a call, and before the caller learns of it. */
export function afterAnswers(
  client: DynamoDBClient,
  between: (operation: string, answer: Record<string, unknown>) => Promise<void>,
): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      try {
        const result = await next(args);
        await between(operationOf(context), result.output as unknown as Record<string, unknown>);
        return result;
      } catch (thrown) {
        await between(operationOf(context), thrown as Record<string, unknown>);
        throw thrown;
      }
    },
    { step: 'initialize', name: 'afterAnswers' },
  );
}

/**
 * Answers single statements of a batch with an error, in a 200 answer, as DynamoDB does; the others of the
 * request reach it. Returns how many statements each request carried.
 */
export function failStatements(
  client: DynamoDBClient,
  failure: (statement: BatchStatementRequest) => BatchStatementError | undefined,
): number[] {
  const sizes: number[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (operationOf(context) !== 'BatchExecuteStatement') return next(args);
      const { Statements = [] } = args.input as BatchExecuteStatementCommandInput;
      sizes.push(Statements.length);
      const errors = Statements.map(failure);
      const passed = Statements.filter((_, index) => errors[index] === undefined);
      const answers = passed.length === 0 ? [] : await sendOn(passed);
      const Responses = errors.map((Error) => (Error === undefined ? answers.shift() : { Error })) as never;
      return { output: { $metadata: {}, Responses }, response: {} };

      async function sendOn(
        statements: BatchStatementRequest[],
      ): Promise<NonNullable<BatchExecuteStatementCommandOutput['Responses']>> {
        const { output } = await next({ ...args, input: { Statements: statements } });
        return (output as BatchExecuteStatementCommandOutput).Responses ?? [];
      }
    },
    { step: 'initialize', name: 'failStatements' },
  );
  return sizes;
}

/** An exception as the SDK throws it for an answer that is not 200. */
export function awsException(name: string, message: string): Error {
  return Object.assign(new Error(message), { name, $fault: 'client', $metadata: {} });
}

function operationOf(context: { readonly commandName?: string }): string {
  return context.commandName?.replace(/Command$/, '') ?? '?';
}
