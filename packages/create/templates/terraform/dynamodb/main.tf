terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 5.100" }
  }
}

variable "package" {
  description = "An archive with the orders.js that `build` makes."
  type        = string
  default     = "orders.zip"
}

resource "aws_lambda_function" "orders" {
  function_name    = "my-worker"
  role             = aws_iam_role.orders.arn
  runtime          = "nodejs22.x"
  architectures    = ["arm64"]
  handler          = "orders.handler"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  memory_size      = 512
  timeout          = 30
  environment {
    variables = { CLAIMS_TABLE_NAME = aws_dynamodb_table.claims.name }
  }
  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.orders.name
  }
  depends_on = [aws_iam_role_policy.orders]
}

resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn        = aws_sqs_queue.orders.arn
  function_name           = aws_lambda_function.orders.arn
  function_response_types = ["ReportBatchItemFailures"] # else Lambda ignores the response
}

resource "aws_iam_role" "orders" {
  name = "my-worker"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "lambda.amazonaws.com" } }]
  })
}

# What the function does, and nothing more.
resource "aws_iam_role_policy" "orders" {
  role = aws_iam_role.orders.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["dynamodb:PartiQLInsert", "dynamodb:PartiQLUpdate", "dynamodb:BatchGetItem"]
        Resource = aws_dynamodb_table.claims.arn
      },
      {
        Effect   = "Allow"
        Action   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
        Resource = aws_sqs_queue.orders.arn
      },
      {
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
        Resource = "${aws_cloudwatch_log_group.orders.arn}:*"
      },
    ]
  })
}

resource "aws_cloudwatch_log_group" "orders" {
  name              = "/aws/lambda/my-worker"
  retention_in_days = 30
}

resource "aws_sqs_queue" "orders" {
  name                       = "my-worker"
  visibility_timeout_seconds = 180 # six times the function's timeout
  redrive_policy             = jsonencode({ deadLetterTargetArn = aws_sqs_queue.dead_letters.arn, maxReceiveCount = 5 })
}

resource "aws_sqs_queue" "dead_letters" {
  name                      = "my-worker-dead-letters"
  message_retention_seconds = 1209600 # 14 days
}

resource "aws_dynamodb_table" "claims" {
  name                        = "my-worker-claims"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "id"
  deletion_protection_enabled = true # without its claims, the next delivery of an order would charge it again
  attribute {
    name = "id"
    type = "S"
  }
  attribute {
    name = "overdueShard"
    type = "S"
  }
  attribute {
    name = "leaseUntil"
    type = "N"
  }
  # Finds overdue and parked claims without a scan.
  global_secondary_index {
    name            = "overdue"
    hash_key        = "overdueShard"
    range_key       = "leaseUntil"
    projection_type = "KEYS_ONLY"
  }
  ttl {
    attribute_name = "expiresAt"
    enabled        = true # without TTL no row is ever deleted
  }
  point_in_time_recovery {
    enabled = true
  }
}

output "queue_url" {
  value = aws_sqs_queue.orders.url
}
