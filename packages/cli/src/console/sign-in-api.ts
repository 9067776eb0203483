// What lets a page in, as `api.ts`.

/** `POST /api/sign-in` */
export interface SignedInJson {
  /** For the header `X-Batchlatch-Session` of every other request. */
  readonly secret: string;
}

/** `POST /api/export` */
export interface TicketJson {
  /** For the parameter `ticket` of one `GET /api/export`. */
  readonly ticket: string;
}
