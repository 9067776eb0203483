CREATE TABLE customers (
  id text PRIMARY KEY,
  token_hash text NOT NULL UNIQUE -- SHA-256 of the token that the customer's requests carry
);
CREATE TABLE orders (
  id uuid PRIMARY KEY,
  customer_id text NOT NULL REFERENCES customers,
  cents integer NOT NULL CHECK (cents > 0)
);
-- Without a unique key on order_id, so that a second charge, receipt or parcel would be seen.
CREATE TABLE charges (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), order_id uuid NOT NULL, cents integer NOT NULL);
CREATE TABLE receipts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), order_id uuid NOT NULL);
CREATE TABLE parcels (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), order_id uuid NOT NULL);
-- A customer to try it: curl -H 'Authorization: Bearer try-it'
INSERT INTO customers VALUES ('ann', encode(sha256('try-it'), 'hex'));
