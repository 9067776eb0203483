terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 5.100" }
  }
}

variable "function_package" {
  type        = string
  description = "An archive with orders.mjs, as esbuild makes it."
}

resource "aws_dynamodb_table" "claims" {
  name                        = "orders-claims"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "id"
  deletion_protection_enabled = true # without its claims, the next delivery of an order would charge it again
  attribute {
    name = "id"
    type = "S"
  }
  ttl {
    attribute_name = "expiresAt"
    enabled        = true # without TTL no row is ever deleted
  }
}

resource "aws_sqs_queue" "dead_letters" {
  name                      = "orders-dead-letters"
  message_retention_seconds = 1209600 # 14 days
}

resource "aws_sqs_queue" "orders" {
  name                       = "orders"
  visibility_timeout_seconds = 180 # six times the function's timeout
  redrive_policy             = jsonencode({ deadLetterTargetArn = aws_sqs_queue.dead_letters.arn, maxReceiveCount = 5 })
}

resource "aws_iam_role" "orders" {
  name = "orders"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "lambda.amazonaws.com" } }]
  })
}

resource "aws_iam_role_policy" "orders" {
  role = aws_iam_role.orders.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      { Effect = "Allow", Action = ["dynamodb:PartiQLInsert", "dynamodb:PartiQLUpdate", "dynamodb:BatchGetItem"], Resource = aws_dynamodb_table.claims.arn },
      { Effect = "Allow", Action = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], Resource = aws_sqs_queue.orders.arn },
      { Effect = "Allow", Action = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"], Resource = "*" },
    ]
  })
}

resource "aws_lambda_function" "orders" {
  function_name    = "orders"
  role             = aws_iam_role.orders.arn
  runtime          = "nodejs22.x"
  handler          = "orders.handler"
  filename         = var.function_package
  source_code_hash = filebase64sha256(var.function_package)
  timeout          = 30
  memory_size      = 512
  environment {
    variables = { CLAIMS_TABLE_NAME = aws_dynamodb_table.claims.name }
  }
}

resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn        = aws_sqs_queue.orders.arn
  function_name           = aws_lambda_function.orders.arn
  function_response_types = ["ReportBatchItemFailures"] # else Lambda ignores the response
}
