data "aws_iam_policy_document" "lambda" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "function" {
  name               = "${var.name}-function"
  assume_role_policy = data.aws_iam_policy_document.lambda.json
}

# What the function does, and nothing more. More options of the processor may need more: see docs/deploying.md.
data "aws_iam_policy_document" "function" {
  statement {
    sid       = "Claim"
    actions   = ["dynamodb:PartiQLInsert", "dynamodb:PartiQLUpdate", "dynamodb:BatchGetItem"]
    resources = [aws_dynamodb_table.claims.arn]
  }
  statement {
    sid       = "Consume"
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
    resources = [aws_sqs_queue.records.arn]
  }
  statement {
    sid       = "Log"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.function.arn}:*"]
  }
}

resource "aws_iam_role_policy" "function" {
  name   = "claim-and-consume"
  role   = aws_iam_role.function.id
  policy = data.aws_iam_policy_document.function.json
}

resource "aws_cloudwatch_log_group" "function" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = var.log_retention_days
}

resource "aws_lambda_function" "records" {
  function_name    = var.name
  role             = aws_iam_role.function.arn
  runtime          = "nodejs22.x"
  architectures    = ["arm64"]
  handler          = var.function_handler
  filename         = var.function_package
  source_code_hash = filebase64sha256(var.function_package)
  timeout          = var.function_timeout
  memory_size      = 512
  environment {
    variables = {
      CLAIMS_TABLE_NAME = aws_dynamodb_table.claims.name
    }
  }
  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.function.name
  }
  depends_on = [aws_iam_role_policy.function]
}

resource "aws_lambda_event_source_mapping" "records" {
  event_source_arn                   = aws_sqs_queue.records.arn
  function_name                      = aws_lambda_function.records.arn
  batch_size                         = var.batch_size
  maximum_batching_window_in_seconds = var.batching_window
  # Without it Lambda ignores the response and takes every batch for a success.
  function_response_types = ["ReportBatchItemFailures"]
  scaling_config {
    maximum_concurrency = var.maximum_concurrency
  }
  metrics_config {
    metrics = ["EventCount"]
  }
}
