const SLOTS = 16_384;

/**
 * Returns the slot of a key in Redis Cluster: the CRC16 (XMODEM) of the text in its first braces, or of the
 * whole key if there is none.
 *
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
 */
export function hashSlot(key: string): number {
  const [, tag = key] = /^[^{]*\{([^}]+)\}/.exec(key) ?? [];
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  }
  return (crc & 0xffff) % SLOTS;
}
