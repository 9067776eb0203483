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
  /** The table whose claims are counted. It must have the overdue index. */
  readonly claims: ClaimsTable;
  /** How often claims are counted, in whole minutes. Default 5 minutes. */
  readonly every?: Duration;
  /** The function's memory in megabytes. Default 256. */
  readonly memorySize?: number;
  /** The function's architecture. Default arm64. */
  readonly architecture?: lambda.Architecture;
  /** The function's runtime. Default `nodejs22.x`. */
  readonly runtime?: lambda.Runtime;
  /** How long the function's log is kept. Default 30 days. */
  readonly logRetention?: logs.RetentionDays;
  /** Other code, which exports `handler` from `index.mjs`. Default: the code in this package. */
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
 * A scheduled function that counts overdue and parked claims as the metrics `OverdueClaims` and
 * `ParkedClaims`, and logs which claims they are. Throws a `ConfigurationError` for invalid properties.
 *
 * @example
 * new ClaimMonitor(this, 'Monitor', { claims });
 */
export class ClaimMonitor extends Construct {
  /** The function that counts the claims. */
  readonly function: lambda.Function;
  /** The table whose claims are counted. */
  readonly claims: ClaimsTable;
  /** The rule that invokes the function. */
  readonly schedule: events.Rule;
  readonly #every: Duration;

  /**
   * Creates the function, its log group and its schedule.
   *
   * @param scope The parent construct, such as `this` in a stack.
   * @param id The construct's id in that scope.
   * @param props The table and the properties of the function.
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
      description: 'Runs the monitor that counts overdue and parked claims.',
      schedule: events.Schedule.rate(this.#every),
      targets: [new targets.LambdaFunction(this.function)],
    });
  }

  /**
   * Returns the metric of claims whose lease lapsed while running and that no worker took over. Default
   * statistic: `Maximum`; default period: that of the schedule.
   *
   * @param props Options to override, such as the statistic or the period.
   */
  metricOverdueClaims(props: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return this.#metric('OverdueClaims', props);
  }

  /**
   * Returns the metric of claims that wait for a person to release them. Default statistic: `Maximum`;
   * default period: that of the schedule.
   *
   * @param props Options to override, such as the statistic or the period.
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
    // The next scheduled run replaces a failed one.
    retryAttempts: 0,
    loggingFormat: lambda.LoggingFormat.JSON,
    logGroup: new logs.LogGroup(scope, 'Logs', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    }),
  });
}
