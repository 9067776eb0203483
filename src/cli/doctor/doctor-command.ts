import {
  type DoctorClients,
  doctorJson,
  type DoctorReport,
  doctorSarif,
  doctorText,
  runDoctor,
} from '../../doctor/index.ts';
import type { ConnectionOptions, OutputOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { awsSettings, type Service } from '../connect/aws-settings.ts';
import type { Context } from '../context.ts';
import type { Run } from '../leaf.ts';
import { hasErrors } from './report.ts';

interface DoctorCommandOptions extends ConnectionOptions, OutputOptions {
  readonly template?: string;
  readonly parameter: Readonly<Record<string, string>>;
  readonly function?: string;
  readonly queueUrl?: string;
  readonly table?: string;
  readonly strict?: boolean;
  readonly sarif?: boolean;
}

/** `doctor` */
export const doctorCommand: Run<DoctorCommandOptions> = async (context, options) => {
  const { template, parameter, queueUrl, table, function: functionName, strict = false } = options;
  const isLive = [queueUrl, table, functionName].some((name) => name !== undefined);
  if (template === undefined && !isLive) {
    throw new UsageError(
      'Say what to look at: --template FILE, or what is deployed: --function NAME, --queue-url URL, --table NAME.',
    );
  }
  const look = (clients: DoctorClients): Promise<DoctorReport> =>
    runDoctor({
      clients,
      parameters: parameter,
      ...(template !== undefined && { template }),
      ...(queueUrl !== undefined && { queueUrl }),
      ...(table !== undefined && { tableName: table }),
      ...(functionName !== undefined && { functionName }),
    });
  const report = await (isLive ? withClients(context, options, look) : look({}));
  print(report, options, context);
  return hasErrors(report, strict) ? 1 : 0;
};

function print(report: DoctorReport, options: DoctorCommandOptions, { screen }: Context): void {
  const { template, sarif = false } = options;
  const file = template === undefined ? {} : { file: template };
  if (sarif) screen.json(JSON.parse(doctorSarif(report, file)));
  else if (screen.isJson) screen.json(JSON.parse(doctorJson(report)));
  else screen.text(doctorText(report, { ...file, colour: screen.hasColors, width: screen.width ?? 100 }));
}

/** Clients of all that is deployed, for `use`. */
async function withClients<Result>(
  context: Context,
  options: ConnectionOptions,
  use: (clients: DoctorClients) => Promise<Result>,
): Promise<Result> {
  const [{ SQS }, { DynamoDB }, { Lambda }, { IAM }] = await Promise.all([
    import('@aws-sdk/client-sqs'),
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/client-lambda'),
    import('@aws-sdk/client-iam'),
  ]);
  const settings = (service: Service): object => ({
    ...awsSettings(service, options, context),
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  const clients = {
    sqs: new SQS(settings('SQS')),
    dynamoDB: new DynamoDB(settings('DYNAMODB')),
    lambda: new Lambda(settings('LAMBDA')),
    iam: new IAM(settings('IAM')),
  };
  try {
    return await use(clients);
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
}
