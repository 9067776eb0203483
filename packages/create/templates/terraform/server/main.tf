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

variable "claims_url" {
  description = "Where the claims are kept, with user and password."
  type        = string
  sensitive   = true
}

variable "subnet_ids" {
  description = "Private subnets from which the claims can be reached."
  type        = list(string)
}

variable "security_group_ids" {
  description = "Security groups that the claims let in."
  type        = list(string)
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
    variables = { CLAIMS_URL = var.claims_url }
  }
  vpc_config {
    subnet_ids         = var.subnet_ids
    security_group_ids = var.security_group_ids
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
        Action   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
        Resource = aws_sqs_queue.orders.arn
      },
      {
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
        Resource = "${aws_cloudwatch_log_group.orders.arn}:*"
      },
      {
        Effect = "Allow" # to join the subnets; before it exists, no interface has a name of its own
        Action = [
          "ec2:CreateNetworkInterface",
          "ec2:DescribeNetworkInterfaces",
          "ec2:DeleteNetworkInterface",
          "ec2:AssignPrivateIpAddresses",
          "ec2:UnassignPrivateIpAddresses",
        ]
        Resource = "*"
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

output "queue_url" {
  value = aws_sqs_queue.orders.url
}
