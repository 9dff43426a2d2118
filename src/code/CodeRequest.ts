/** Defines a request to run code. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { DurationInput } from "../base/duration.ts"
import { CommandId } from "../command/CommandId.ts"
import { CommandInput } from "../command/CommandInput.ts"
import { CommandLimits } from "../command/CommandLimits.ts"
import { Grace, Time } from "../command/execSchema.ts"
import { Word } from "../command/Secret.ts"

/** Timeout of a request without one: 30 s. */
export const defaultTimeout: Duration.Duration = Duration.seconds(30)

/** Default maximum of kept bytes of stdout and stderr together: 1 MiB. */
export const defaultMaxOutputBytes = 1_048_576

/**
 * Maximum of `maxOutputBytes`: 256 MiB. The bytes are in memory, and each stream keeps up to this many until the end.
 */
export const maxOutputBytesLimit = 268_435_456

export const codeVersion: Schema.optionalKey<typeof Schema.String> = Schema.optionalKey(
  Schema.String.annotate({ description: "Version of the interpreter, such as 3 or 3.11. Default: any" }),
)

/**
 * Schema of a request to run code, as an agent or a client sends it. Only `language` and `code` are required; times are
 * milliseconds. {@link CodeInput} documents the fields; in the encoded form `cwd`, `env` and `extendEnv` are
 * `workingDirectory`, `environment` and `inheritEnvironment`, as in an encoded `ShellExec`.
 */
export const CodeRequest: Schema.encodeKeys<
  Schema.Struct<{
    readonly language: typeof Schema.String
    readonly code: typeof Schema.String
    readonly version: Schema.optionalKey<typeof Schema.String>
    readonly cwd: Schema.optionalKey<typeof Schema.String>
    readonly env: Schema.optionalKey<
      Schema.$Record<
        typeof Schema.String,
        Schema.NullOr<
          Schema.Codec<
            string | Redacted.Redacted<string>,
            string | { readonly _tag: "Redacted"; readonly label?: string }
          >
        >
      >
    >
    readonly extendEnv: Schema.optionalKey<typeof Schema.Boolean>
    readonly input: Schema.optionalKey<typeof CommandInput>
    readonly timeout: Schema.withDecodingDefaultKey<typeof Schema.DurationFromMillis>
    readonly grace: Schema.optionalKey<typeof Schema.DurationFromMillis>
    readonly maxOutputBytes: Schema.withDecodingDefaultKey<typeof Schema.Int>
    readonly limits: Schema.optionalKey<typeof CommandLimits>
    readonly commandId: Schema.withDecodingDefaultKey<typeof CommandId>
  }>,
  { readonly cwd: "workingDirectory"; readonly env: "environment"; readonly extendEnv: "inheritEnvironment" }
> = Schema.Struct({
  language: Schema.String.annotate({ description: "The language that the code is in, such as bash or python" }),
  code: Schema.String.annotate({ description: "The code, run as it is in a new process" }),
  version: codeVersion,
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "Directory to run in" })),
  env: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.NullOr(Word)).annotate({
      description: "Variables that are added to the environment; null removes one",
    }),
  ),
  extendEnv: Schema.optionalKey(Schema.Boolean),
  input: Schema.optionalKey(CommandInput.annotate({ description: "What the code reads on stdin" })),
  timeout: Time.pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(Duration.toMillis(defaultTimeout))),
  ),
  grace: Schema.optionalKey(Grace),
  maxOutputBytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxOutputBytesLimit })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaultMaxOutputBytes)),
  ),
  limits: Schema.optionalKey(CommandLimits),
  commandId: CommandId.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => CommandId.make()))),
}).pipe(Schema.encodeKeys({ cwd: "workingDirectory", env: "environment", extendEnv: "inheritEnvironment" }))

/**
 * A decoded request to run code, with its defaults.
 *
 * @stability stable
 */
export type CodeRequest = typeof CodeRequest.Type

/** A request to run code, as a program writes it; a {@link CodeRequest} is one. */
export interface CodeInput {
  /** The language of the code: a name in the table of interpreters. */
  readonly language: string
  /** The code. Its length is not limited, except together with `input`. */
  readonly code: string
  /**
   * Version of the interpreter, as numbers with dots: `3.11` is any 3.11. It is looked up in PATH and in the folders of
   * nvm, pyenv and rbenv, by commands on the same shell (`--version`, `sh`). Default: the interpreter in PATH.
   */
  readonly version?: string | undefined
  /** Working directory. Default: the leaf's base directory, else this process's working directory. */
  readonly cwd?: string | undefined
  /** Variables added to the environment or overriding it; `null` removes one. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted<string> | null>> | undefined
  /** Whether the code inherits the environment of the leaf. Default: as the leaf is configured (`true`). */
  readonly extendEnv?: boolean | undefined
  /**
   * Input of the code on stdin. Default: none, stdin is closed. Code of 128 KiB or more is itself passed by stdin, so
   * together with `input` it is refused (E2BIG).
   */
  readonly input?: CommandInput | undefined
  /** Timeout after which the whole process tree is ended. Default: 30 s. */
  readonly timeout?: DurationInput | undefined
  /** Time between SIGTERM and SIGKILL. Default: the leaf's (5 s). */
  readonly grace?: DurationInput | undefined
  /**
   * Maximum of kept bytes of stdout and stderr together; beyond it the middle is left out. Default: 1 MiB; at most 256
   * MiB.
   */
  readonly maxOutputBytes?: number | undefined
  /** Limits that the operating system enforces. Default: none. */
  readonly limits?: CommandLimits | undefined
  /** Id of the run in journals and logs. Default: a UUIDv7. */
  readonly commandId?: CommandId | undefined
}
