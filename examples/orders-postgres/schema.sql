-- The tables of the example. The claims table beside them: npx batchlatch table create --postgres
CREATE TABLE stock (
  sku text PRIMARY KEY,
  available integer NOT NULL CHECK (available >= 0)
);
CREATE TABLE orders (
  order_id text PRIMARY KEY,
  sku text NOT NULL REFERENCES stock,
  quantity integer NOT NULL CHECK (quantity > 0),
  status text NOT NULL CHECK (status IN ('placed', 'out-of-stock')),
  placed_at timestamptz NOT NULL DEFAULT now()
);

-- What the function may do, and no more:
--   CREATE ROLE orders LOGIN;
--   GRANT rds_iam TO orders;                                     -- on RDS: the function's role is its password
--   GRANT SELECT, INSERT, UPDATE ON batchlatch_claims TO orders;
--   GRANT SELECT, UPDATE ON stock TO orders;
--   GRANT INSERT ON orders TO orders;
-- An environment of Lambda that is frozen in the middle of a transaction would keep its locks:
--   ALTER ROLE orders SET idle_in_transaction_session_timeout = '60s';
