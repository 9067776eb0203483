# One row per idempotency key.
resource "aws_dynamodb_table" "claims" {
  name                        = "${var.name}-claims"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "id"
  deletion_protection_enabled = true

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
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  # Without its claims, the next delivery of a completed record would run it again.
  lifecycle {
    prevent_destroy = true
  }
}
