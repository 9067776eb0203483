# Counts overdue and parked claims every five minutes, and logs which they are.
resource "aws_iam_role" "monitor" {
  name               = "${var.name}-monitor"
  assume_role_policy = data.aws_iam_policy_document.lambda.json
}

data "aws_iam_policy_document" "monitor" {
  statement {
    sid       = "CountClaims"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.claims.arn}/index/overdue"]
  }
  statement {
    sid       = "ReadClaims"
    actions   = ["dynamodb:BatchGetItem"]
    resources = [aws_dynamodb_table.claims.arn]
  }
  statement {
    sid       = "Log"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.monitor.arn}:*"]
  }
}

resource "aws_iam_role_policy" "monitor" {
  name   = "read-claims"
  role   = aws_iam_role.monitor.id
  policy = data.aws_iam_policy_document.monitor.json
}

resource "aws_cloudwatch_log_group" "monitor" {
  name              = "/aws/lambda/${var.name}-monitor"
  retention_in_days = var.log_retention_days
}

resource "aws_lambda_function" "monitor" {
  function_name    = "${var.name}-monitor"
  role             = aws_iam_role.monitor.arn
  runtime          = "nodejs22.x"
  architectures    = ["arm64"]
  handler          = "index.handler"
  filename         = var.monitor_package
  source_code_hash = filebase64sha256(var.monitor_package)
  timeout          = 60
  memory_size      = 256
  environment {
    variables = {
      CLAIMS_TABLE_NAME = aws_dynamodb_table.claims.name
    }
  }
  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.monitor.name
  }
  depends_on = [aws_iam_role_policy.monitor]
}

# The next run counts all of it again.
resource "aws_lambda_function_event_invoke_config" "monitor" {
  function_name          = aws_lambda_function.monitor.function_name
  maximum_retry_attempts = 0
}

resource "aws_cloudwatch_event_rule" "monitor" {
  name                = "${var.name}-monitor"
  description         = "Has the monitor count overdue and parked claims."
  schedule_expression = "rate(5 minutes)"
}

resource "aws_cloudwatch_event_target" "monitor" {
  rule = aws_cloudwatch_event_rule.monitor.name
  arn  = aws_lambda_function.monitor.arn
}

resource "aws_lambda_permission" "monitor" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.monitor.function_name
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.monitor.arn
}
