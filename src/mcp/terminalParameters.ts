/** Declares the parameters of the MCP tools for terminals. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describedKeys } from "../terminal/keys.ts"
import type { ToolSettings } from "./McpToolOptions.ts"
import { cwdParameter } from "./runParameters.ts"

const cells = (about: string, maximum: number, fallback: number): Schema.withDecodingDefaultKey<Schema.Int> =>
  Schema.Int.check(Schema.isBetween({ minimum: 2, maximum })).annotate({ description: about }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(fallback)),
  )

/** Maximum time that a call waits, in milliseconds. */
const maxWaitMillis = 300_000

export type WaitParameters = {
  readonly wait_for: Schema.optionalKey<typeof Schema.String>
  readonly timeout_ms: Schema.withDecodingDefaultKey<Schema.Int>
}

/** Time that a call waits before it answers with the screen. */
const waitParameters: WaitParameters = {
  wait_for: Schema.optionalKey(
    Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(1_000)).annotate({
      description:
        "Answer when this text, taken literally, is in the output since the input, such as a prompt; the echo " +
        "of the input does not count. Default: when nothing was written for 300 ms",
    }),
  ),
  timeout_ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxWaitMillis })).annotate({
    description: "Answer after this time at the latest, with the screen as it is then. Default: 10000",
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(10_000))),
}

const terminalId: typeof Schema.String = Schema.String.check(Schema.isNonEmpty()).annotate({
  description: "The terminal_id that open_terminal answered",
})

export type OpenTerminalFields = {
  readonly file: typeof Schema.String
  readonly args: Schema.withDecodingDefaultKey<Schema.$Array<typeof Schema.String>>
  readonly cwd: Schema.optionalKey<typeof Schema.String>
  readonly cols: Schema.withDecodingDefaultKey<Schema.Int>
  readonly rows: Schema.withDecodingDefaultKey<Schema.Int>
} & WaitParameters

export const openTerminal = (settings: Pick<ToolSettings, "policy">): Schema.Struct<OpenTerminalFields> =>
  Schema.Struct({
    file: Schema.String.check(Schema.isNonEmpty()).annotate({
      description: "The program to run: its name or its path, such as bash, python3, psql",
    }),
    args: Schema.Array(Schema.String.annotate({ description: "One argument, as it is: no shell reads it" })).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed([])),
    ),
    cwd: cwdParameter(settings),
    cols: cells("Width of the terminal. Default: 100", 300, 100),
    rows: cells("Height of the terminal. Default: 30", 100, 30),
    ...waitParameters,
  })

export type SendKeysFields = {
  readonly terminal_id: typeof Schema.String
  readonly text: Schema.optionalKey<typeof Schema.String>
  readonly keys: Schema.withDecodingDefaultKey<Schema.$Array<typeof Schema.String>>
} & WaitParameters

export const SendKeys: Schema.Struct<SendKeysFields> = Schema.Struct({
  terminal_id: terminalId,
  text: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(65_536)).annotate({
      description: "Text to type first, as it is; Enter is not pressed after it unless it is among the keys",
    }),
  ),
  keys: Schema.Array(
    Schema.String.annotate({
      description: `A key: ${describedKeys}`,
    }),
  ).check(Schema.isMaxLength(256)).annotate({ description: 'Keys to press after the text, such as ["Enter"]' }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed([])),
  ),
  ...waitParameters,
})

export type ReadScreenFields = {
  readonly terminal_id: typeof Schema.String
  readonly history_lines: Schema.withDecodingDefaultKey<Schema.Int>
}

export const ReadScreen: Schema.Struct<ReadScreenFields> = Schema.Struct({
  terminal_id: terminalId,
  history_lines: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })).annotate({
    description: "Lines above the screen to answer too, the last ones. Default: 0",
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
})

export const CloseTerminal: Schema.Struct<{ readonly terminal_id: typeof Schema.String }> = Schema.Struct({
  terminal_id: terminalId,
})
