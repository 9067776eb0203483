/** What a message asks for. */
export type MessageKind = 'plain' | 'permanent' | 'poison' | 'failing';

/** One message of the simulated queue. */
export interface Message {
  readonly id: string;
  /** The `id` of the record that the message becomes. */
  readonly recordId: string;
  readonly work: string;
  readonly key: string;
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

/** What the trace says of a message that is sent. */
export function described({ key, kind, group }: Message): string {
  return `${key}, ${kind}${group === undefined ? '' : ` in ${group}`}`;
}
