/** Declares the error of an SSH connection, with its tagged reasons. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

type ServerFields = { readonly server: Schema.String }

type KeyFields = ServerFields & { readonly keyType: Schema.String; readonly fingerprint: Schema.String }

const words: Schema.$Array<Schema.String> = Schema.Array(Schema.String)
const server = { server: Schema.String }
const key = { ...server, keyType: Schema.String, fingerprint: Schema.String }

/**
 * Schema of the reason why an SSH connection could not be made or used. `server` is `host:port`.
 *
 * - `NameNotResolved`: DNS has no address of the host. `Refused`: nothing listens at the port. `Unreachable`: no route, or the
 *   network failed. `TimedOut`: no answer in time.
 * - `HostKeyUnknown`: no key of the server is known. `HostKeyChanged`: only other keys are known. `HostKeyRevoked`: the
 *   key is marked as revoked. `HostKeyUnsupported`: the server is known only by a certificate authority.
 * - `AuthRefused`: no method worked; `tried` in this order, `offered` by the server at the end.
 * - `ProtocolFailed`: the other side is no SSH server, shares no algorithm, or broke the protocol.
 * - `LoginShellFailed`: the login shell did not start `/bin/sh`. `SftpFailed`: the server has no SFTP. `RootFailed`: the
 *   root of the files is no folder there.
 * - `Lost`: the connection ended, or was closed.
 * - `PackageMissing`: the npm package `ssh2` is not installed.
 */
export const SshErrorReason: Schema.Union<
  readonly [
    Schema.TaggedStruct<"NameNotResolved", ServerFields>,
    Schema.TaggedStruct<"Refused", ServerFields>,
    Schema.TaggedStruct<"Unreachable", ServerFields & { readonly code: Schema.optionalKey<Schema.String> }>,
    Schema.TaggedStruct<"TimedOut", ServerFields>,
    Schema.TaggedStruct<"HostKeyUnknown", KeyFields>,
    Schema.TaggedStruct<"HostKeyChanged", KeyFields & { readonly known: typeof words }>,
    Schema.TaggedStruct<"HostKeyRevoked", KeyFields>,
    Schema.TaggedStruct<"HostKeyUnsupported", KeyFields>,
    Schema.TaggedStruct<
      "AuthRefused",
      ServerFields & { readonly user: Schema.String; readonly tried: typeof words; readonly offered: typeof words }
    >,
    Schema.TaggedStruct<"ProtocolFailed", ServerFields>,
    Schema.TaggedStruct<"LoginShellFailed", ServerFields>,
    Schema.TaggedStruct<"SftpFailed", ServerFields>,
    Schema.TaggedStruct<"RootFailed", ServerFields & { readonly path: Schema.String }>,
    Schema.TaggedStruct<"Lost", ServerFields>,
    Schema.TaggedStruct<"PackageMissing", { readonly package: Schema.String }>,
  ]
> = Schema.Union([
  Schema.TaggedStruct("NameNotResolved", server),
  Schema.TaggedStruct("Refused", server),
  Schema.TaggedStruct("Unreachable", { ...server, code: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("TimedOut", server),
  Schema.TaggedStruct("HostKeyUnknown", key),
  Schema.TaggedStruct("HostKeyChanged", { ...key, known: words }),
  Schema.TaggedStruct("HostKeyRevoked", key),
  Schema.TaggedStruct("HostKeyUnsupported", key),
  Schema.TaggedStruct("AuthRefused", { ...server, user: Schema.String, tried: words, offered: words }),
  Schema.TaggedStruct("ProtocolFailed", server),
  Schema.TaggedStruct("LoginShellFailed", server),
  Schema.TaggedStruct("SftpFailed", server),
  Schema.TaggedStruct("RootFailed", { ...server, path: Schema.String }),
  Schema.TaggedStruct("Lost", server),
  Schema.TaggedStruct("PackageMissing", { package: Schema.String }),
])

/**
 * The reason why an SSH connection failed: see the Schema of this name.
 *
 * @stability experimental
 */
export type SshErrorReason = typeof SshErrorReason.Type

const Base: Schema.Class<
  SshError,
  Schema.TaggedStruct<"SshError", { readonly reason: typeof SshErrorReason; readonly message: typeof Schema.String }>,
  Cause.YieldableError
> = Schema.TaggedError<SshError>()("SshError", { reason: SshErrorReason, message: Schema.String })

/**
 * An SSH connection that could not be made. `reason` is tagged, for `catchReason`; `message` says what was tried and what to
 * do, and contains no secret.
 *
 * @example
 * ```ts
 * import { SshError } from "@sluice/shell/ssh"
 *
 * const error = new SshError({ reason: { _tag: "Refused", server: "build.example:22" }, message: "nothing listens" })
 * console.log(error.reason._tag) // Refused
 * ```
 */
export class SshError extends Base {}

const transient: ReadonlySet<SshErrorReason["_tag"]> = new Set(
  ["NameNotResolved", "Refused", "Unreachable", "TimedOut", "Lost", "ProtocolFailed"],
)

/** Whether a failure may be transient, unlike a refused key or user. */
export const mayPass = ({ reason }: SshError): boolean => transient.has(reason._tag)

const codes: Readonly<Record<SshErrorReason["_tag"], string>> = {
  NameNotResolved: "ENOTFOUND",
  Refused: "ECONNREFUSED",
  Unreachable: "EHOSTUNREACH",
  TimedOut: "ETIMEDOUT",
  HostKeyUnknown: "EHOSTKEY",
  HostKeyChanged: "EHOSTKEY",
  HostKeyRevoked: "EHOSTKEY",
  HostKeyUnsupported: "EHOSTKEY",
  AuthRefused: "EAUTH",
  ProtocolFailed: "EPROTO",
  LoginShellFailed: "ESHELL",
  SftpFailed: "EPROTO",
  RootFailed: "ENOENT",
  Lost: "ECONNRESET",
  PackageMissing: "ENOPACKAGE",
}

/** The code of a failure, at the end of the message of a command's fault. */
export const sshCode = ({ reason }: SshError): string => codes[reason._tag]
