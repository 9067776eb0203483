variable "name" {
  description = "The queue's name, and the beginning of every other name."
  type        = string
  default     = "orders"
}

variable "function_package" {
  description = "A zip file with the function that runs the records."
  type        = string
}

variable "function_handler" {
  description = "File and export of the function in its zip file."
  type        = string
  default     = "index.handler"
}

variable "function_timeout" {
  description = "Timeout of the function in seconds. The visibility timeout of the queue follows it."
  type        = number
  default     = 30
  validation {
    condition     = var.function_timeout >= 1 && var.function_timeout <= 900
    error_message = "Lambda runs a function for 1 to 900 seconds."
  }
}

variable "monitor_package" {
  description = "A zip file with what batchlatch-cdk has in dist/monitor-function."
  type        = string
}

variable "batch_size" {
  description = "The most messages of one invocation. Above 10 it needs batching_window."
  type        = number
  default     = 10
}

variable "batching_window" {
  description = "For how many seconds Lambda gathers messages for a batch."
  type        = number
  default     = 0
}

variable "maximum_concurrency" {
  description = "The most invocations at a time that the queue starts."
  type        = number
  default     = 10
}

variable "max_receive_count" {
  description = "After how many receives a message goes to the dead-letter queue. Conflicts count as receives."
  type        = number
  default     = 5
}

variable "queue_retention" {
  description = "How long the queue keeps a message, in seconds. Completed claims must be remembered for as long."
  type        = number
  default     = 345600 # 4 days
  validation {
    condition     = var.queue_retention < 1209600
    error_message = "The dead-letter queue keeps messages for 14 days, and has to keep them for longer than the queue."
  }
}

variable "log_retention_days" {
  description = "How long CloudWatch keeps the logs."
  type        = number
  default     = 30
}

variable "oldest_message_age" {
  description = "Alarm when the oldest message of the queue has waited for so many seconds."
  type        = number
  default     = 900
}

variable "outbox_tables" {
  description = "The outboxes to watch, by the `table` of their metrics."
  type        = set(string)
  default     = []
}
