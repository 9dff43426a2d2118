import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { MockRun, MockShell } from "../../src/testing/mod.ts"
import { readFile, runCommand, Spellbook, writeFile } from "../../src/spell/mod.ts"
import { collectSpans } from "../support/collectSpans.ts"

const parentOf = ({ parent }: Tracer.Span): string | undefined =>
  Option.getOrUndefined(Option.flatMap(parent, (span) => span._tag === "Span" ? Option.some(span.name) : Option.none()))

it.effect("has spans of the requests of a call, and neither its arguments nor its failure's message", () =>
  Effect.gen(function* () {
    const { layer, spans } = collectSpans()
    const book = Spellbook.make(readFile, writeFile, runCommand)
    const shell = MockShell.layer([MockShell.on("npm", MockRun.stdout("ok\n"))])
    yield* Effect.gen(function* () {
      // Its maker's span is not the parent of what later calls do.
      const spells = yield* Effect.withSpan(Spellbook.service(book), "start")
      const cast = (name: string, input: Record<string, string>) =>
        Effect.exit(Spellbook.castWith(spells, name, input, `call-${name}`)).pipe(Effect.withSpan("caller"))
      yield* cast("write_file", { path: "notes-hunter2.txt", content: "hunter2" })
      yield* cast("read_file", { path: "missing-hunter2.txt" })
      yield* cast("run_command", { command: "npm" })
    }).pipe(Effect.provide(Layer.mergeAll(MemoryFileSystem.layer, shell, layer)))
    const calls = spans.filter(({ name }) => name.startsWith("execute_tool"))
    expect(calls.map((span) => [span.name, parentOf(span), Object.fromEntries(span.attributes)])).toEqual(
      (["write_file", "read_file", "run_command"] as const).map((name) => [`execute_tool ${name}`, "caller", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "sluice.correlation_id": `call-${name}`,
        ...(name === "read_file" ? { "error.type": "Failed" } : undefined),
      }]),
    )
    expect(calls.map(({ status }) => status._tag === "Ended" && status.exit._tag)).toEqual([
      "Success",
      "Failure",
      "Success",
    ])
    const written = spans.find(({ name }) => name === "FileWrite")
    expect(written && parentOf(written)).toBe("execute_tool write_file")
    const own = spans.filter(({ name }) => name !== "start" && name !== "caller")
    const shown = own.map(({ attributes, name, status }) => [name, [...attributes], String(Object(status).exit)])
    expect(JSON.stringify(shown)).not.toContain("hunter2")
  }))
