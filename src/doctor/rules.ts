import type { Rule } from './rule.ts';
import { DELIVERY_RULES } from './rules-of-delivery.ts';
import { FUNCTION_RULES } from './rules-of-functions.ts';
import { POSTGRES_RULES } from './rules-of-postgres.ts';
import { REDIS_RULES } from './rules-of-redis.ts';
import { TABLE_RULES } from './rules-of-tables.ts';

/** Every finding by its code. */
export const RULES: Readonly<Record<string, Rule>> = {
  ...DELIVERY_RULES,
  ...TABLE_RULES,
  ...FUNCTION_RULES,
  ...POSTGRES_RULES,
  ...REDIS_RULES,
};
