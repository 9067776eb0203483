/**
 * Stands in for `@aws-sdk/client-dynamodb` where claims are kept in memory and only the import has to work: see
 * lab/mutation/stryker.config.js.
 */
function Nothing() {}

export {
  Nothing as BatchExecuteStatementCommand,
  Nothing as BatchGetItemCommand,
  Nothing as CreateTableCommand,
  Nothing as DeleteItemCommand,
  Nothing as DeleteTableCommand,
  Nothing as DynamoDBClient,
  Nothing as GetItemCommand,
  Nothing as PutItemCommand,
  Nothing as TransactWriteItemsCommand,
  Nothing as UpdateItemCommand,
  Nothing as UpdateTimeToLiveCommand,
};
