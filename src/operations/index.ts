export type {
  ClaimCount,
  ClaimCountQuery,
  ClaimOperation,
  ClaimPage,
  ClaimQuery,
  ClaimReading,
  ClaimState,
  OperableStore,
  OperateOutcome,
  OperationKind,
  RefusalReason,
} from '../claims/operable-store.ts';
