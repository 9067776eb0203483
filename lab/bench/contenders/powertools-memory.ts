import {
  IdempotencyItemAlreadyExistsError,
  IdempotencyItemNotFoundError,
} from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, type IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';

/** Powertools' own base class over a `Map`, to measure its framework without DynamoDB. */
export class MemoryPersistenceLayer extends BasePersistenceLayer {
  readonly #records = new Map<string, IdempotencyRecord>();

  /** The key it makes for a payload; for measuring its hash. */
  keyOf(payload: unknown): string {
    return this.getHashedIdempotencyKey(payload as Parameters<typeof this.getHashedIdempotencyKey>[0]);
  }

  protected async _putRecord(record: IdempotencyRecord): Promise<void> {
    const stored = this.#records.get(record.idempotencyKey);
    if (stored !== undefined && !stored.isExpired()) {
      throw new IdempotencyItemAlreadyExistsError('The key is taken', stored);
    }
    this.#records.set(record.idempotencyKey, record);
  }

  protected async _updateRecord(record: IdempotencyRecord): Promise<void> {
    this.#records.set(record.idempotencyKey, record);
  }

  protected async _deleteRecord(record: IdempotencyRecord): Promise<void> {
    this.#records.delete(record.idempotencyKey);
  }

  protected async _getRecord(key: string): Promise<IdempotencyRecord> {
    const record = this.#records.get(key);
    if (record === undefined) throw new IdempotencyItemNotFoundError();
    return record;
  }
}
