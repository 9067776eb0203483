import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { doctorJson, doctorLive, doctorText } from '../../doctor/index.ts';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { awsSettings } from '../connect/aws-settings.ts';
import { tableNameOf } from '../connect/table-name.ts';
import { hasErrors } from '../doctor/report.ts';
import type { Run } from '../leaf.ts';

/** `table check`: what `doctor --table` says, by the rights to describe the table alone. */
export const checkCommand: Run<ConnectionOptions & { readonly table?: string }> = async (
  context,
  options,
) => {
  const tableName = tableNameOf(options.table, context);
  const dynamoDB = new DynamoDB(awsSettings('DYNAMODB', options, context));
  try {
    const report = await doctorLive({ dynamoDB }, { tableName });
    const { screen } = context;
    if (screen.isJson) screen.json(JSON.parse(doctorJson(report)));
    else screen.text(doctorText(report, { colour: screen.hasColors, width: screen.width ?? 100 }));
    return hasErrors(report) ? 1 : 0;
  } finally {
    dynamoDB.destroy();
  }
};
