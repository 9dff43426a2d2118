/** Defines the Schema of an egress proxy's decision, and its journal entry. */
import * as Schema from "effect/Schema"
import type { Draft } from "../journal/Entry.ts"

const egressRefusalReasons = ["InvalidHost", "NotAllowed", "PrivateAddress", "ServerName", "TooManyNames"] as const

/**
 * Schema of the reasons for a refused connection.
 *
 * - `InvalidHost`: the host is neither a name nor an address.
 * - `NotAllowed`: no entry of the rules has this host and port.
 * - `PrivateAddress`: the name has an address of this machine or of a private network, or one that no name may have.
 * - `ServerName`: a TLS connection to the name asks for another server (SNI).
 * - `TooManyNames`: the proxy has looked up the maximum number of names.
 */
export const EgressRefusalReason: Schema.Literals<typeof egressRefusalReasons> = Schema.Literals(egressRefusalReasons)

/** The reason why a connection is refused. */
export type EgressRefusalReason = typeof EgressRefusalReason.Type

/**
 * Schema of a decision. `host` has its canonical spelling, or the request's spelling if it is invalid. `entry` is the rule
 * that allows it, `addresses` are those that may be connected to; a refusal has `reason` and `message`.
 */
export const EgressDecision: Schema.TaggedStruct<"EgressDecision", {
  readonly protocol: Schema.Literals<readonly ["http", "connect", "socks5"]>
  readonly host: Schema.String
  readonly port: typeof Schema.Int
  readonly allowed: typeof Schema.Boolean
  readonly entry: Schema.optionalKey<Schema.String>
  readonly addresses: Schema.optionalKey<Schema.$Array<Schema.String>>
  readonly reason: Schema.optionalKey<typeof EgressRefusalReason>
  readonly message: Schema.optionalKey<Schema.String>
}> = Schema.TaggedStruct("EgressDecision", {
  protocol: Schema.Literals(["http", "connect", "socks5"]),
  host: Schema.String,
  port: Schema.Int,
  allowed: Schema.Boolean,
  entry: Schema.optionalKey(Schema.String),
  addresses: Schema.optionalKey(Schema.Array(Schema.String)),
  reason: Schema.optionalKey(EgressRefusalReason),
  message: Schema.optionalKey(Schema.String),
})

/** A decision of an egress proxy. */
export type EgressDecision = typeof EgressDecision.Type

const encode = Schema.encodeSync(EgressDecision)

export const egressBranch = "egress"

/** The entry of a decision. `correlationId` is the id of the command that has asked. */
export const draftDecision = (decision: EgressDecision, correlationId: string): Draft => ({
  branch: egressBranch,
  correlationId,
  body: encode(decision),
})
