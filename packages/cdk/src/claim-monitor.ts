import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { anInteger, type Check, checkOptionsOf, required } from './check-options.ts';
import { aConstruct, aDuration } from './checks.ts';
import type { ClaimsTable } from './claims-table.ts';
import { METRICS_NAMESPACE } from './metrics.ts';
import { monitorCode } from './monitor-code.ts';

/** Properties of a `ClaimMonitor`. */
export interface ClaimMonitorProps {
  /** The table that it looks at. It needs the overdue index. */
  readonly claims: ClaimsTable;
  /** How often it looks: whole minutes. Default 5 minutes. */
  readonly every?: Duration;
  /** Megabytes of the function. Default 256. */
  readonly memorySize?: number;
  /** Default arm64. */
  readonly architecture?: lambda.Architecture;
  /** Default `nodejs22.x`. */
  readonly runtime?: lambda.Runtime;
  /** How long its log is kept. Default 30 days. */
  readonly logRetention?: logs.RetentionDays;
  /** Code of your own, which exports `handler` from `index.mjs`. Default: the code that comes with the package. */
  readonly code?: lambda.Code;
}

const checks: Readonly<Record<keyof ClaimMonitorProps, Check>> = {
  claims: required(aConstruct('a ClaimsTable', 'table', 'grantMonitor')),
  every: aDuration(),
  memorySize: anInteger(128),
  architecture: aConstruct('an Architecture of aws-cdk-lib/aws-lambda', 'dockerPlatform'),
  runtime: aConstruct('a Runtime of aws-cdk-lib/aws-lambda', 'supportsInlineCode'),
  logRetention: anInteger(1),
  code: aConstruct('a Code of aws-cdk-lib/aws-lambda', 'bind'),
};

/**
 * A function on a schedule that counts the overdue and the parked claims of a table, as the metrics `OverdueClaims` and `ParkedClaims`, and logs which
 * they are. Its code comes with the package. Throws a `ConfigurationError` for properties that cannot work.
 *
 * @example
 * new ClaimMonitor(this, 'Monitor', { claims });
 */
export class ClaimMonitor extends Construct {
  /** The function that looks. */
  readonly function: lambda.Function;
  /** The table that it looks at. */
  readonly claims: ClaimsTable;
  /** What invokes the function. */
  readonly schedule: events.Rule;
  readonly #every: Duration;

  /**
   * Makes the function, its log group and its schedule.
   *
   * @param scope What it is a part of, such as `this` in a stack.
   * @param id Its name in that scope.
   * @param props The table that it looks at, and how often.
   */
  constructor(scope: Construct, id: string, props: ClaimMonitorProps) {
    super(scope, id);
    checkOptionsOf('ClaimMonitor', props, checks);
    this.claims = props.claims;
    this.#every = props.every ?? Duration.minutes(5);
    this.function = createFunction(this, props);
    props.claims.addEnvironment(this.function);
    props.claims.grantMonitor(this.function);
    this.schedule = new events.Rule(this, 'Schedule', {
      description: 'Has the monitor count overdue and parked claims.',
      schedule: events.Schedule.rate(this.#every),
      targets: [new targets.LambdaFunction(this.function)],
    });
  }

  /**
   * Claims whose lease lapsed while their work was running, and that nobody has taken over. By default the maximum of a run.
   *
   * @param props What is to be different, such as the statistic or the period.
   */
  metricOverdueClaims(props: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.#metric('OverdueClaims', props);
  }

  /**
   * Claims that wait for a person to release them. By default the maximum of a run.
   *
   * @param props What is to be different, such as the statistic or the period.
   */
  metricParkedClaims(props: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.#metric('ParkedClaims', props);
  }

  /**
   * Parked claims whose outcome is unknown: a person finds out, and resolves or releases them. By default the
   * maximum of a run.
   *
   * @param props Overrides, such as the statistic or the period.
   */
  metricOutcomeUnknownClaims(props: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.#metric('ParkedLapsedClaims', props);
  }

  #metric(metricName: string, props: cloudwatch.MetricOptions): cloudwatch.Metric {
    return new cloudwatch.Metric({
      namespace: METRICS_NAMESPACE,
      metricName,
      dimensionsMap: { table: this.claims.table.tableName },
      statistic: 'Maximum',
      period: this.#every,
      ...props,
    }).attachTo(this);
  }
}

function createFunction(scope: Construct, props: ClaimMonitorProps): lambda.Function {
  const { memorySize = 256, logRetention = logs.RetentionDays.ONE_MONTH } = props;
  return new lambda.Function(scope, 'Function', {
    description: 'Counts overdue and parked claims of batchlatch.',
    code: props.code ?? monitorCode(),
    handler: 'index.handler',
    runtime: props.runtime ?? lambda.Runtime.NODEJS_22_X,
    architecture: props.architecture ?? lambda.Architecture.ARM_64,
    memorySize,
    timeout: Duration.minutes(1),
    // The next run makes up for one that failed.
    retryAttempts: 0,
    loggingFormat: lambda.LoggingFormat.JSON,
    logGroup: new logs.LogGroup(scope, 'Logs', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    }),
  });
}
