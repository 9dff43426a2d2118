/**
 * Schema and type of a request to run code.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DurationInput } from "../base/duration.ts"
import { CommandId } from "../command/CommandId.ts"
import { CommandInput } from "../command/CommandInput.ts"
import { CommandLimits } from "../command/CommandLimits.ts"
import { Word } from "../command/Secret.ts"

/** Longest run of code that names no other: 30 s. */
export const defaultTimeout: Duration.Duration = Duration.seconds(30)

/** Bytes of stdout and stderr together that are kept where a request names no other number: 1 MiB. */
export const defaultMaxOutputBytes = 1_048_576

/** The most bytes that a request may have kept: 256 MiB. They are in memory, and each stream has its own until the end. */
export const maxOutputBytesLimit = 268_435_456

const Time: typeof Schema.DurationFromMillis = Schema.DurationFromMillis.check(
  Schema.makeFilter((time: Duration.Duration) => {
    const millis = Duration.toMillis(time)
    return Number.isFinite(millis) && millis > 0 ? undefined : "a finite time above zero"
  }),
)

const Grace: typeof Schema.DurationFromMillis = Schema.DurationFromMillis.check(
  Schema.makeFilter((time: Duration.Duration) => {
    const millis = Duration.toMillis(time)
    return Number.isFinite(millis) && millis >= 0 ? undefined : "a finite time, zero or above"
  }),
)

/** The fields of {@link CodeRequest}, as Schemas. */
export type CodeRequestFields = {
  readonly language: typeof Schema.String
  readonly code: typeof Schema.String
  readonly version: Schema.optionalKey<typeof Schema.String>
  readonly workingDirectory: Schema.optionalKey<typeof Schema.String>
  readonly environment: Schema.optionalKey<Schema.$Record<typeof Schema.String, Schema.NullOr<typeof Word>>>
  readonly inheritEnvironment: Schema.optionalKey<typeof Schema.Boolean>
  readonly input: Schema.optionalKey<typeof CommandInput>
  readonly timeout: Schema.withDecodingDefaultKey<typeof Schema.DurationFromMillis>
  readonly grace: Schema.optionalKey<typeof Schema.DurationFromMillis>
  readonly maxOutputBytes: Schema.withDecodingDefaultKey<typeof Schema.Int>
  readonly limits: Schema.optionalKey<typeof CommandLimits>
  readonly commandId: Schema.withDecodingDefaultKey<typeof CommandId>
}

/**
 * Schema of a request to run code: what an agent or a client sends. Only `language` and `code` have to be there; times
 * are milliseconds. {@link CodeInput} says what each field means.
 *
 * Source: exec Architecture.
 */
export const CodeRequest: Schema.Struct<CodeRequestFields> = Schema.Struct({
  language: Schema.String.annotate({ description: "The language that the code is in, such as bash or python" }),
  code: Schema.String.annotate({ description: "The code, run as it is in a new process" }),
  version: Schema.optionalKey(Schema.String.annotate({ description: "Ignored" })),
  workingDirectory: Schema.optionalKey(Schema.String.annotate({ description: "Directory to run in" })),
  environment: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.NullOr(Word)).annotate({
      description: "Variables that are added to the environment; null removes one",
    }),
  ),
  inheritEnvironment: Schema.optionalKey(Schema.Boolean),
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
})

/** A request to run code, with its defaults. */
export type CodeRequest = typeof CodeRequest.Type

/** A request to run code as a program writes it; an {@link CodeRequest} is one. */
export interface CodeInput {
  /** The language that the code is in: a name of the table of interpreters. */
  readonly language: string
  /** The code, run as it is. It may be of any length, within what stdin is free for: see `input`. */
  readonly code: string
  /** Accepted, and ignored: the interpreter that PATH names is the one that runs. */
  readonly version?: string | undefined
  /** Directory to run in. Default: the leaf's base directory, else the process's own. */
  readonly workingDirectory?: string | undefined
  /** Entries added to or overriding the environment; `null` removes a variable. */
  readonly environment?: Readonly<Record<string, Word | null>> | undefined
  /** Whether the leaf's environment is passed on. Default: what the leaf says (`true`). */
  readonly inheritEnvironment?: boolean | undefined
  /**
   * What the code reads on stdin. Default: nothing, stdin is closed. Code of 128 KiB or more goes by stdin itself, so
   * that a request with both is refused (E2BIG).
   */
  readonly input?: CommandInput | undefined
  /** Longest run; then the whole process tree is ended. Default: 30 s. */
  readonly timeout?: DurationInput | undefined
  /** Time between SIGTERM and SIGKILL. Default: the leaf's (5 s). */
  readonly grace?: DurationInput | undefined
  /** Bytes of stdout and stderr together that are kept; the middle is left out beyond. Default: 1 MiB; at most 256 MiB. */
  readonly maxOutputBytes?: number | undefined
  /** Limits that the operating system enforces. Default: none. */
  readonly limits?: CommandLimits | undefined
  /** Correlates the run with what a journal or a log says of it. Default: a UUIDv7. */
  readonly commandId?: CommandId | undefined
}
