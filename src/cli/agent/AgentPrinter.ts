/** Prints the events of an agent's run: its text to stdout as it arrives, its tool calls and its cost to stderr. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { AgentEnd, AgentEvent } from "../../agent/AgentEvent.ts"
import type { AgentToolCallResult } from "../../agent/ToolCallBranch.ts"
import { quoteWord } from "../../shell-language/ShellLanguage.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"
import type { TextStyles } from "../journal/TextStyle.ts"
import type { BrokenOutputError, OutputWriter } from "../ProcessOutput.ts"

type Json = Schema.Json

/** Maximum characters of a call's subject and of an outcome. */
const maxLength = 160

/** The beginning of a text, in one line. */
const cut = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`
}

const field = (value: Json, name: string): Json | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const found = Object.entries(value).find(([key]) => key === name)
  return found?.[1]
}

const textField = (value: Json, ...names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => field(value, name)).find((found) => typeof found === "string")

/** Describes a call in one line: its command, its path, its script, else all its arguments. */
export const describeCall = (input: Json): string => {
  const words = field(input, "arguments")
  const command = textField(input, "command")
  const path = textField(input, "path")
  const text = command === undefined
    ? (path === "" ? "." : path) ?? textField(input, "script", "code", "pattern", "process", "id") ??
      JSON.stringify(input)
    : [command, ...(Array.isArray(words) ? words.map(String) : [])].map(quoteWord).join(" ")
  return escapeInvisible(cut(text))
}

export const describeResult = ({ isFailure, result }: Pick<AgentToolCallResult, "isFailure" | "result">): string => {
  if (isFailure) {
    const message = textField(result, "message") ?? JSON.stringify(result)
    return `failed: ${escapeInvisible(cut(message))}`
  }
  const exitCode = field(result, "exitCode")
  return typeof exitCode === "number" ? `exit ${exitCode}` : "done"
}

const count = (number: number, noun: string): string =>
  `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`

const seconds = (millis: number): string =>
  millis < 1_000 ? `${Math.round(millis)} ms` : `${(millis / 1_000).toFixed(1)} s`

/** Formats the usage of a run: `5 turns, 6 calls, 1,234 tokens in (400 cached), 56 out, cost 0.0123`. */
const describeUsage = ({ toolCalls, turns, usage }: AgentEnd): string => {
  const { cachedInputTokens, cost, inputTokens, outputTokens } = usage
  const cached = cachedInputTokens === 0 ? "" : ` (${cachedInputTokens.toLocaleString("en-US")} cached)`
  return [
    count(turns, "turn"),
    count(toolCalls, "call"),
    `${count(inputTokens, "token")} in${cached}`,
    `${outputTokens.toLocaleString("en-US")} out`,
    ...(cost === undefined ? [] : [`cost ${cost.toFixed(4)}`]),
  ].join(", ")
}

const endTexts: Readonly<Record<AgentEnd["because"], string>> = {
  done: "done",
  refused: "the provider withheld the answer",
  length: "the answer was cut off at the model's limit",
  turns: "stopped at --max-turns",
  tokens: "stopped at --max-tokens",
  cost: "stopped at --max-cost",
  time: "stopped at --timeout",
  stopped: "stopped",
  interrupted: "interrupted",
}

/** The place of a call in its run: `3.1` for the first call of the third turn. */
export const placeOf = (correlationId: string): string => correlationId.split("/").slice(1).join(".")

export interface AgentPrinter {
  readonly print: (event: AgentEvent) => Effect.Effect<void, BrokenOutputError>
}

export const jsonPrinter = (output: OutputWriter): AgentPrinter => ({
  // JSON escapes for control characters that JSON leaves unescaped but a terminal acts on.
  print: (event) => output.write(1, encodeUtf8(`${escapeInvisible(JSON.stringify(event))}\n`)),
})

export const textPrinter = (styles: TextStyles, output: OutputWriter): AgentPrinter => {
  /** When each open call began. */
  const began = new Map<string, number>()
  let atLineStart = true

  const write = (text: string): Effect.Effect<void, BrokenOutputError> => {
    // A model's text must not control the terminal.
    const safe = text.replaceAll("\r\n", "\n").replace(/[^\n\t]+/g, escapeInvisible)
    if (safe === "") return Effect.void
    atLineStart = safe.endsWith("\n")
    return output.write(1, encodeUtf8(safe))
  }
  const say = (line: string): Effect.Effect<void, BrokenOutputError> =>
    Effect.andThen(
      Effect.suspend(() => atLineStart ? Effect.void : write("\n")),
      output.write(2, encodeUtf8(`${line}\n`)),
    )

  const print = (event: AgentEvent): Effect.Effect<void, BrokenOutputError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      switch (event._tag) {
        case "ModelDelta":
          return event.kind === "text" ? yield* write(event.text) : undefined
        case "ModelResponse":
          return atLineStart ? undefined : yield* write("\n")
        case "ModelRetry":
          return yield* say(
            styles.yellow(`${escapeInvisible(cut(event.message))}; asked again in ${seconds(event.delayMillis)}`),
          )
        case "AgentToolCall": {
          began.set(event.correlationId, now)
          const place = styles.faint(`[${placeOf(event.correlationId)}]`)
          return yield* say(`${place} ${styles.bold(escapeInvisible(event.name))} ${describeCall(event.arguments)}`)
        }
        case "AgentToolCallResult": {
          const time = now - (began.get(event.correlationId) ?? now)
          began.delete(event.correlationId)
          const outcome = describeResult(event)
          const shown = event.isFailure || /^exit [^0]/.test(outcome) ? styles.red(outcome) : outcome
          return yield* say(
            `${styles.faint(`[${placeOf(event.correlationId)}]`)} ${shown} ${styles.faint(`(${seconds(time)})`)}`,
          )
        }
        case "AgentToolCallProgress":
          return yield* say(styles.faint(event.text.trimEnd().replace(/[^\n\t]+/g, escapeInvisible)))
        case "AgentTrim":
          return yield* say(
            styles.faint(
              `old results of ${count(event.shortened, "turn")} shortened, ${count(event.dropped, "turn")} dropped`,
            ),
          )
        case "AgentEnd":
          return yield* say(`${styles.bold(endTexts[event.because])}: ${describeUsage(event)}`)
      }
    })
  return { print }
}
