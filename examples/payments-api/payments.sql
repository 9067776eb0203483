-- The table of create-payment-postgres.ts. The claims table beside it: npx batchlatch table create --postgres
CREATE TABLE payments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer_id text NOT NULL,
  order_id text NOT NULL,
  amount_cents integer NOT NULL CHECK (amount_cents > 0),
  paid_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (customer_id, order_id)
);
