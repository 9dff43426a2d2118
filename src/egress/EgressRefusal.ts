/** Declares the refusal of a proxy to connect, with its answers of HTTP and SOCKS. */

/** Status of HTTP, and reply of SOCKS (RFC 1928, section 6). */
export const answers = {
  Refused: { status: "403 Forbidden", reply: 2 },
  NotFound: { status: "502 Bad Gateway", reply: 4 },
  Unreachable: { status: "502 Bad Gateway", reply: 5 },
  Timeout: { status: "504 Gateway Timeout", reply: 4 },
  Overloaded: { status: "503 Service Unavailable", reply: 1 },
  JournalFailed: { status: "503 Service Unavailable", reply: 1 },
} as const

export class EgressRefusal extends Error {
  readonly _tag = "EgressRefusal"
  readonly answer: { readonly status: string; readonly reply: number }

  constructor(cause: keyof typeof answers, message: string) {
    super(message)
    this.name = "EgressRefusal"
    this.answer = answers[cause]
  }
}
