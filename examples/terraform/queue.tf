resource "aws_sqs_queue" "records" {
  name = var.name
  # Six times the function's timeout, as AWS asks for event source mappings.
  visibility_timeout_seconds = 6 * var.function_timeout + var.batching_window
  message_retention_seconds  = var.queue_retention
  sqs_managed_sse_enabled    = true
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letters.arn
    maxReceiveCount     = var.max_receive_count
  })
}

resource "aws_sqs_queue" "dead_letters" {
  name = "${var.name}-dead-letters"
  # A message keeps the time of its first sending when it moves here, so this must be the longer retention.
  message_retention_seconds = 1209600 # 14 days
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_redrive_allow_policy" "dead_letters" {
  queue_url = aws_sqs_queue.dead_letters.id
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.records.arn]
  })
}

data "aws_iam_policy_document" "tls_only" {
  for_each = {
    records      = aws_sqs_queue.records.arn
    dead_letters = aws_sqs_queue.dead_letters.arn
  }
  statement {
    sid       = "TlsOnly"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [each.value]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_sqs_queue_policy" "records" {
  queue_url = aws_sqs_queue.records.id
  policy    = data.aws_iam_policy_document.tls_only["records"].json
}

resource "aws_sqs_queue_policy" "dead_letters" {
  queue_url = aws_sqs_queue.dead_letters.id
  policy    = data.aws_iam_policy_document.tls_only["dead_letters"].json
}
