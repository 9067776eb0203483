/** What a message asks for. */
export type MessageKind = 'plain' | 'permanent' | 'poison' | 'failing';

/** One message of the simulated queue. */
export interface Message {
  readonly id: string;
  /** The `id` of the record that the message becomes. */
  readonly recordId: string;
  readonly work: string;
  readonly key: string;
  /** What has to be the same when the key comes again. */
  readonly payload: string | undefined;
  readonly kind: MessageKind;
  readonly group: string | undefined;
  readonly sentAt: number;
  /** A processor has given a copy of it to its dead-letter queue. */
  isSentToDeadLetters: boolean;
  state: 'waiting' | 'deleted' | 'dead-lettered';
  /** In true time; in the future while somebody has it. */
  visibleAt: number;
  receiveCount: number;
}

/** The body of a message, or an event's detail. */
export function bodyOf({ work, kind, payload }: Message): object {
  return { work, kind, ...(payload !== undefined && { payload }) };
}

/** What a record or a row stands for: its key, and what else has to be the same. */
export function identityOf({ key, payload }: Pick<Message, 'key' | 'payload'>): string {
  return payload === undefined ? key : `${key} (${payload})`;
}

/** What the trace says of a message that is sent. */
export function described({ key, payload, kind, group }: Message): string {
  return `${identityOf({ key, payload })}, ${kind}${group === undefined ? '' : ` in ${group}`}`;
}
