output "queue_url" {
  value = aws_sqs_queue.records.id
}

output "dead_letter_queue_url" {
  value = aws_sqs_queue.dead_letters.id
}

output "table_name" {
  value = aws_dynamodb_table.claims.name
}

output "function_name" {
  value = aws_lambda_function.records.function_name
}

output "monitor_name" {
  value = aws_lambda_function.monitor.function_name
}
