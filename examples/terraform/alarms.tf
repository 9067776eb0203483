# Subscribe to it who is to be told.
resource "aws_sns_topic" "alarms" {
  name = "${var.name}-alarms"
}

locals {
  table     = { table = aws_dynamodb_table.claims.name }
  functions = { (var.name) = aws_lambda_function.records, "${var.name}-monitor" = aws_lambda_function.monitor }
}

resource "aws_cloudwatch_metric_alarm" "overdue" {
  alarm_name          = "${var.name}-overdue-claims"
  alarm_description   = "Claims whose lease has lapsed and that nobody took over; their work may be half done."
  namespace           = "batchlatch"
  metric_name         = "OverdueClaims"
  dimensions          = local.table
  statistic           = "Maximum"
  period              = 300
  evaluation_periods  = 2 # a claim that the next delivery takes over is overdue for a visibility timeout
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  # The monitor writes 0 as well: no data means that it does not run.
  treat_missing_data        = "missing"
  insufficient_data_actions = [aws_sns_topic.alarms.arn]
  alarm_actions             = [aws_sns_topic.alarms.arn]
  ok_actions                = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "parked" {
  alarm_name          = "${var.name}-parked-claims"
  alarm_description   = "Keys that failed for good and are not run again until a person releases or resolves them."
  namespace           = "batchlatch"
  metric_name         = "ParkedClaims"
  dimensions          = local.table
  statistic           = "Maximum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "ignore"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "outcome_unknown" {
  alarm_name          = "${var.name}-outcome-unknown"
  alarm_description   = "Parked keys whose process died, so it is unknown whether their work was done. Find out, then resolve or release them."
  namespace           = "batchlatch"
  metric_name         = "ParkedLapsedClaims"
  dimensions          = local.table
  statistic           = "Maximum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "ignore"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "dead_letters" {
  alarm_name          = "${var.name}-dead-letters"
  alarm_description   = "Messages that the queue gave up."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.dead_letters.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "age" {
  alarm_name          = "${var.name}-oldest-message"
  alarm_description   = "The oldest message of the queue has waited for long."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateAgeOfOldestMessage"
  dimensions          = { QueueName = aws_sqs_queue.records.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  threshold           = var.oldest_message_age
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  for_each            = local.functions
  alarm_name          = "${each.key}-errors"
  alarm_description   = "Invocations that failed as a whole: a timeout, a crash, out of memory."
  namespace           = "AWS/Lambda"
  metric_name         = "Errors"
  dimensions          = { FunctionName = each.value.function_name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "throttles" {
  for_each            = local.functions
  alarm_name          = "${each.key}-throttles"
  alarm_description   = "Invocations that Lambda refused, because there is no concurrency left."
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = { FunctionName = each.value.function_name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 3
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

# Of outboxes: their sweep, or their monitor on a schedule of one minute, writes the metrics.
resource "aws_cloudwatch_metric_alarm" "outbox_age" {
  for_each            = var.outbox_tables
  alarm_name          = "${each.key}-oldest-outbox-row"
  alarm_description   = "Messages of the outbox wait, or nobody counts them."
  namespace           = "batchlatch"
  metric_name         = "OldestOutboxRowMs"
  dimensions          = { table = each.key }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  threshold           = 300000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "breaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "outbox_parked" {
  for_each            = var.outbox_tables
  alarm_name          = "${each.key}-parked-outbox-rows"
  alarm_description   = "Messages of the outbox were refused for good, and hold their groups."
  namespace           = "batchlatch"
  metric_name         = "ParkedOutboxRows"
  dimensions          = { table = each.key }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "ignore"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}
