/** Defines the reasons for which a proxy refuses to connect, with their HTTP and SOCKS answers. */
export type EgressRefusalKind = "Refused" | "NotFound" | "Unreachable" | "Timeout" | "Overloaded" | "JournalFailed"

export class EgressRefusal extends Error {
  readonly _tag = "EgressRefusal"
  readonly kind: EgressRefusalKind

  constructor(kind: EgressRefusalKind, message: string) {
    super(message)
    this.name = "EgressRefusal"
    this.kind = kind
  }
}

/** Status of HTTP, and reply of SOCKS (RFC 1928, section 6). */
export const answers: Readonly<
  Record<EgressRefusalKind, { readonly status: string; readonly reply: number }>
> = {
  Refused: { status: "403 Forbidden", reply: 2 },
  NotFound: { status: "502 Bad Gateway", reply: 4 },
  Unreachable: { status: "502 Bad Gateway", reply: 5 },
  Timeout: { status: "504 Gateway Timeout", reply: 4 },
  Overloaded: { status: "503 Service Unavailable", reply: 1 },
  JournalFailed: { status: "503 Service Unavailable", reply: 1 },
}
