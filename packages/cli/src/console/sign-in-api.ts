// The sign-in part of the JSON API (`api.ts`).

/** `POST /api/sign-in` */
export interface SignedInJson {
  /** The value of the header `X-Batchlatch-Session` in all other requests. */
  readonly secret: string;
}

/** `POST /api/export` */
export interface TicketJson {
  /** The parameter `ticket` of one `GET /api/export`. */
  readonly ticket: string;
}
