import {
  type DoctorClients,
  doctorJson,
  doctorPostgres,
  doctorRedis,
  type DoctorReport,
  doctorSarif,
  doctorText,
  joinedReports,
  runDoctor,
} from '../../doctor/index.ts';
import { filterLog } from '../../cloudwatch/cloudwatch-log.ts';
import type { ConnectionOptions, OutputOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { awsSettings, type Service } from '../connect/aws-settings.ts';
import { postgresTableOf } from '../connect/claims.ts';
import { type PostgresOptions, withPostgres } from '../connect/postgres.ts';
import { type RedisOptions, withRedis } from '../connect/redis.ts';
import type { Context } from '../context.ts';
import { logsPlace } from '../logs/logs-place.ts';
import type { Run } from '../subcommand.ts';
import { adviceForFile } from '../other-tools.ts';
import { hasErrors } from './report.ts';

interface DoctorCommandOptions extends ConnectionOptions, OutputOptions, PostgresOptions, RedisOptions {
  readonly template?: string;
  readonly parameter: Readonly<Record<string, string>>;
  readonly function?: string;
  readonly queueUrl?: string;
  readonly table?: string;
  readonly attributes?: 'powertools';
  readonly strict?: boolean;
  readonly all?: boolean;
  readonly sarif?: boolean;
}

/** `doctor` */
export const doctorCommand: Run<DoctorCommandOptions> = async (context, options) => {
  const report = await unlessStopped(reportOf(context, options), context);
  print(report, options, context);
  return hasErrors(report, options.strict) ? 1 : 0;
};

/** Rejects at a stop: doctor only reads, so no request has to end first. */
async function unlessStopped<Result>(work: Promise<Result>, { signal, endSoon }: Context): Promise<Result> {
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = (): void => {
      endSoon(); // requests go on until their time limits
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, stopped]);
}

/** Checks what the options name. Throws a `UsageError` if they name nothing. */
export async function reportOf(context: Context, options: DoctorCommandOptions): Promise<DoctorReport> {
  const looks = looksOf(context, options);
  if (looks.length === 0) {
    throw new UsageError(
      'Say what to look at: --template FILE, or what is deployed: --function ' +
        'NAME, --queue-url URL, --table NAME, --postgres, --redis.',
    );
  }
  const reports: DoctorReport[] = [];
  for (const look of looks) reports.push(await look());
  return joinedReports(reports);
}

/** Returns a check for each kind of target. With `--postgres`, `--table` names a table of PostgreSQL. */
function looksOf(context: Context, options: DoctorCommandOptions): (() => Promise<DoctorReport>)[] {
  const { template, parameter, queueUrl, function: functionName, postgres, redis, all = false } = options;
  const table = postgres === undefined ? options.table : undefined;
  const isDeployed = [queueUrl, table, functionName].some((name) => name !== undefined);
  const run = async (clients: DoctorClients): Promise<DoctorReport> =>
    runDoctor({
      clients,
      parameters: parameter,
      all,
      ...(template !== undefined && { template }),
      ...(queueUrl !== undefined && { queueUrl }),
      ...(table !== undefined && { tableName: table }),
      isPowertools: options.attributes === 'powertools',
      ...(functionName !== undefined && { functionName }),
    }).catch((error: unknown) => {
      throw advised(error, template);
    });
  const { now } = context;
  return [
    ...(isDeployed ? [() => withClients(context, options, run)] : []),
    ...(!isDeployed && template !== undefined ? [() => run({})] : []),
    ...(postgres === undefined
      ? []
      : [
          () =>
            withPostgres(context, options, (pool) =>
              doctorPostgres({ pool, table: postgresTableOf(options), now }),
            ),
        ]),
    ...(redis === undefined
      ? []
      : [() => withRedis(context, options, (client) => doctorRedis({ client, now }))]),
  ];
}

/** Returns advice in place of the error if the template is a file of another tool. */
function advised(error: unknown, template = ''): unknown {
  const advice = adviceForFile(template)?.doctor;
  const isNoTemplate = error instanceof Error && error.message.includes('cannot be read as a template');
  return advice !== undefined && isNoTemplate ? new UsageError(advice, { cause: error }) : error;
}

function print(report: DoctorReport, options: DoctorCommandOptions, { screen }: Context): void {
  const { template, sarif = false } = options;
  const file = template === undefined ? {} : { file: template };
  if (sarif) screen.json(JSON.parse(doctorSarif(report, file)));
  else if (screen.isJson) screen.json(JSON.parse(doctorJson(report)));
  else screen.text(doctorText(report, { ...file, colour: screen.hasColors, width: screen.width ?? 100 }));
}

/** The pages of one search in a log: doctor should not take longer than a person waits. */
const LOG_PAGES = 5;

/** Creates clients of the deployed services for `use`, and destroys them after it. */
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
  const logs: DoctorClients['logs'] = async (search) => {
    const place = await logsPlace(context, options, await clients.lambda.config.region());
    return filterLog(place, search, context.signal, LOG_PAGES);
  };
  try {
    return await use({ ...clients, logs });
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
}
