/** Declares the error of an SSH connection, with its tagged reasons. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

const words: Schema.$Array<Schema.String> = Schema.Array(Schema.String)

/**
 * Schema of why an SSH connection could not be made, or could not be used. `server` is `host:port`.
 *
 * - `NameNotResolved`: DNS has no address of the host. `Refused`: nothing listens at the port. `Unreachable`: no route, or the
 *   network failed. `TimedOut`: no answer in time.
 * - `HostKeyUnknown`: no key of the server is known. `HostKeyChanged`: others are. `HostKeyRevoked`: it is known as revoked.
 *   `HostKeyUnsupported`: it is known only by a certificate authority.
 * - `AuthRefused`: no method worked; `tried` in this order, `offered` by the server at the end.
 * - `ProtocolFailed`: the other side is no SSH server, shares no algorithm, or broke the protocol.
 * - `LoginShellFailed`: the login shell did not start `/bin/sh`. `SftpFailed`: the server has no SFTP. `RootFailed`: the root of
 *   the files is no folder there.
 * - `Lost`: the connection ended, or was closed.
 * - `PackageMissing`: the npm package `ssh2` is not installed.
 */
export const SshErrorReason: Schema.Union<
  readonly [
    Schema.TaggedStruct<"NameNotResolved", { readonly server: Schema.String }>,
    Schema.TaggedStruct<"Refused", { readonly server: Schema.String }>,
    Schema.TaggedStruct<
      "Unreachable",
      { readonly server: Schema.String; readonly code: Schema.optionalKey<Schema.String> }
    >,
    Schema.TaggedStruct<"TimedOut", { readonly server: Schema.String }>,
    Schema.TaggedStruct<
      "HostKeyUnknown",
      { readonly server: Schema.String; readonly keyType: Schema.String; readonly fingerprint: Schema.String }
    >,
    Schema.TaggedStruct<
      "HostKeyChanged",
      {
        readonly server: Schema.String
        readonly keyType: Schema.String
        readonly fingerprint: Schema.String
        readonly known: Schema.$Array<Schema.String>
      }
    >,
    Schema.TaggedStruct<
      "HostKeyRevoked",
      { readonly server: Schema.String; readonly keyType: Schema.String; readonly fingerprint: Schema.String }
    >,
    Schema.TaggedStruct<
      "HostKeyUnsupported",
      { readonly server: Schema.String; readonly keyType: Schema.String; readonly fingerprint: Schema.String }
    >,
    Schema.TaggedStruct<
      "AuthRefused",
      {
        readonly server: Schema.String
        readonly user: Schema.String
        readonly tried: Schema.$Array<Schema.String>
        readonly offered: Schema.$Array<Schema.String>
      }
    >,
    Schema.TaggedStruct<"ProtocolFailed", { readonly server: Schema.String }>,
    Schema.TaggedStruct<"LoginShellFailed", { readonly server: Schema.String }>,
    Schema.TaggedStruct<"SftpFailed", { readonly server: Schema.String }>,
    Schema.TaggedStruct<"RootFailed", { readonly server: Schema.String; readonly path: Schema.String }>,
    Schema.TaggedStruct<"Lost", { readonly server: Schema.String }>,
    Schema.TaggedStruct<"PackageMissing", { readonly package: Schema.String }>,
  ]
> = Schema.Union([
  Schema.TaggedStruct("NameNotResolved", { server: Schema.String }),
  Schema.TaggedStruct("Refused", { server: Schema.String }),
  Schema.TaggedStruct("Unreachable", { server: Schema.String, code: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("TimedOut", { server: Schema.String }),
  Schema.TaggedStruct("HostKeyUnknown", { server: Schema.String, keyType: Schema.String, fingerprint: Schema.String }),
  Schema.TaggedStruct("HostKeyChanged", {
    server: Schema.String,
    keyType: Schema.String,
    fingerprint: Schema.String,
    known: words,
  }),
  Schema.TaggedStruct("HostKeyRevoked", { server: Schema.String, keyType: Schema.String, fingerprint: Schema.String }),
  Schema.TaggedStruct("HostKeyUnsupported", {
    server: Schema.String,
    keyType: Schema.String,
    fingerprint: Schema.String,
  }),
  Schema.TaggedStruct("AuthRefused", { server: Schema.String, user: Schema.String, tried: words, offered: words }),
  Schema.TaggedStruct("ProtocolFailed", { server: Schema.String }),
  Schema.TaggedStruct("LoginShellFailed", { server: Schema.String }),
  Schema.TaggedStruct("SftpFailed", { server: Schema.String }),
  Schema.TaggedStruct("RootFailed", { server: Schema.String, path: Schema.String }),
  Schema.TaggedStruct("Lost", { server: Schema.String }),
  Schema.TaggedStruct("PackageMissing", { package: Schema.String }),
])

/**
 * The reason for which an SSH connection failed: see the Schema of this name.
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
 * do, and has no secret.
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

/** Whether a failure may pass by itself: a refused key or user does not. */
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
