/** How many of the partitions of a table are counted with: for spread, and for what each may take. */
export interface PartitionLoads {
  readonly partitions: number;
  /** Write units by partition. */
  readonly units: Float64Array;
}

export function partitionLoads(partitions: number): PartitionLoads {
  return { partitions, units: new Float64Array(partitions) };
}

/**
 * Where DynamoDB keeps a key: partitions own ranges of a hash of the partition key. Which hash is not published; this is FNV-1a with
 * MurmurHash3's last step, 32 bits, which spreads as any good one does.
 */
export function hashOf(key: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01_00_01_93);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const HASHES = 2 ** 32;

export function partitionOf(hash: number, partitions: number): number {
  return Math.floor((hash / HASHES) * partitions);
}

/** The load of the fullest partition as a multiple of the mean. */
export function spreadOf({ units }: PartitionLoads): number {
  let most = 0;
  let total = 0;
  for (const one of units) {
    if (one > most) most = one;
    total += one;
  }
  return total === 0 ? 1 : (most * units.length) / total;
}
