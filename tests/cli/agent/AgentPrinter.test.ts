import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../src/agent/AgentEvent.ts"
import { describeCall, describeResult, jsonPrinter, textPrinter } from "../../../src/cli/agent/AgentPrinter.ts"
import { makeTextStyles } from "../../../src/cli/journal/TextStyle.ts"
import { ProcessOutput } from "../../../src/cli/ProcessOutput.ts"
import { fakeProcess } from "../support.ts"

const print = (events: ReadonlyArray<AgentEvent>) =>
  Effect.gen(function* () {
    const cli = fakeProcess([])
    const printer = textPrinter(makeTextStyles(cli, 2), new ProcessOutput(cli))
    yield* Effect.forEach(events, printer.print, { discard: true })
    return cli.written.map(({ fd, text }) => `${fd}:${text}`)
  })

const delta = (text: string): AgentEvent => ({ _tag: "ModelDelta", correlationId: "r/1", kind: "text", text })
const call: AgentEvent = {
  _tag: "AgentToolCall",
  correlationId: "r/2/3",
  callId: "c",
  name: "run_command",
  arguments: { command: "git", arguments: ["log", "--format=%H %s"] },
}

describe("the printer of agents", () => {
  it.effect("writes text as it comes, and a line for each call and its end", () =>
    Effect.gen(function* () {
      const { _tag, ...rest } = call
      const result: AgentEvent = { ...rest, _tag: "AgentToolCallResult", result: { exitCode: 3 }, isFailure: false }
      expect(yield* print([delta("I "), delta("look"), call, result])).toEqual([
        "1:I ",
        "1:look",
        "1:\n",
        "2:[2.3] run_command git log '--format=%H %s'\n",
        "2:[2.3] exit 3 (0 ms)\n",
      ])
      expect(_tag).toBe("AgentToolCall")
    }))

  it.effect("keeps model text from changing the terminal", () =>
    Effect.gen(function* () {
      const written = yield* print([
        delta("a\x1b]0;title\x07b\r\nc\t\u202ed\x9b31m"),
        { ...call, name: "x\x1b[2J", arguments: { path: "a\x1b[31m\nb" } },
      ])
      expect(written.join("").replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\u202e]/u)
      expect(written[0]).toBe("1:a\\u001b]0;title\\u0007b\nc\t\\u202ed\\u009b31m")
    }))

  it.effect("prints events as lines of JSON", () =>
    Effect.gen(function* () {
      const cli = fakeProcess([])
      const text = "a\nb\u009b31m\u202e\u007f"
      yield* jsonPrinter(new ProcessOutput(cli)).print(delta(text))
      expect(cli.written.map(({ text }) => JSON.parse(text))).toEqual([delta(text)])
      expect(cli.written.map(({ text }) => text.trim()).join("")).not.toMatch(/[\p{Cc}\u202e]/u)
    }))

  it.each([
    [{ path: "" }, "."],
    [{ path: "src/a.ts", firstLine: 3 }, "src/a.ts"],
    [{ script: "a\n  b" }, "a b"],
    [{ n: 1 }, `{"n":1}`],
    [{ command: "x".repeat(500) }, `${"x".repeat(159)}…`],
  ])("says what %j is about", (input, text) => {
    expect(describeCall(input)).toBe(text)
  })

  it("says how a call went", () => {
    expect(describeResult({ result: { message: "no\nway" }, isFailure: true })).toBe("failed: no way")
    expect(describeResult({ result: "text", isFailure: false })).toBe("done")
    expect(describeResult({ result: { exitCode: 0 }, isFailure: false })).toBe("exit 0")
  })
})
