import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { isJsonObject } from "../../src/base/jsonSchema.ts"
import { layer as journaledShell } from "../../src/compute/JournaledShell.ts"
import { type Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import { MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { JournaledSpellcasting, ProcessTable, Spellbook, Spellcasting } from "../../src/spell/mod.ts"

/** A program of its own on the same journal: its table and its sandbox are new. */
const inNewProgram = <A, E>(program: Effect.Effect<A, E, Spellcasting>) => {
  const shell = journaledShell.pipe(Layer.provide(KernelShell.layer))
  const spells = Spellcasting.layer(Spellbook.standard).pipe(
    Layer.provide(Layer.mergeAll(shell, MemoryFileSystem.layer, ProcessTable.layer)),
  )
  return Effect.provide(program, JournaledSpellcasting.layer.pipe(Layer.provide(spells)))
}

const run = <A, E>(program: Effect.Effect<A, E, Journal>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, MemoryJournal.layer))

const reply = (spell: string, input: Schema.Json) =>
  Effect.map(Spellcasting.cast(spell, input), (result) => isJsonObject(result) ? result : {})

const text = (value: unknown): string => typeof value === "string" ? value : ""

it("reads the rest of a long output that another program made", () =>
  run(Effect.gen(function* () {
    const script = "seq 1 9000; seq 10000 19000 >&2"
    const result = yield* inNewProgram(reply("run_script", { script }))
    const hints = [...`${text(result["stdout"])}${text(result["stderr"])}`.matchAll(/read_output (\{.*?\})/g)]
    expect(hints.length).toBe(2)
    for (const [, call = ""] of hints) {
      const { id, position } = JSON.parse(call)
      const read = reply("read_output", { id, position })
      const there = yield* inNewProgram(Effect.andThen(reply("run_command", { command: "true" }), read))
      expect(text(there["output"]).length).toBe(16_384)
      // The page goes on where the head of the result ends.
      const stream = position < 50_000 ? text(result["stdout"]) : text(result["stderr"])
      const before = Number(/(\d+)\n… /.exec(stream)?.[1])
      expect(text(there["output"]).startsWith(`${before + 1}\n`)).toBe(true)
    }
  })))

it("reads the output of code, which is recorded as bytes", () =>
  run(Effect.gen(function* () {
    const result = yield* inNewProgram(reply("execute_code", { language: "bash", code: "seq 1 9000; echo ende €" }))
    const id = text(result["outputId"])
    const page = yield* inNewProgram(reply("read_output", { id, position: 40_000 }))
    expect(text(page["output"]).endsWith("9000\nende €\n")).toBe(true)
  })))

it("reads the output of a process whose host program has ended", () =>
  run(Effect.gen(function* () {
    const id = yield* inNewProgram(Effect.gen(function* () {
      const script = "echo out; echo err >&2; sleep 600"
      const started = yield* reply("start_process", { command: "sh", arguments: ["-c", script] })
      expect(started["isRunning"]).toBe(true)
      const id = text(started["id"])
      for (let position = text(started["output"]).length; position < 8;) {
        const { output } = yield* reply("read_output", { id, position, waitSeconds: 30 })
        position += text(output).length
      }
      return id
    }))
    const page = yield* inNewProgram(reply("read_output", { id }))
    expect(page).toMatchObject({ isRunning: false, ended: "it ended with the program that started it" })
    expect(text(page["output"]).split("\n").toSorted()).toEqual(["", "err", "out"])
  })))

it("does not know output that the journal lacks", () =>
  run(Effect.gen(function* () {
    yield* inNewProgram(reply("run_command", { command: "true" }))
    const fault = yield* Effect.flip(inNewProgram(reply("read_output", { id: "output-00000000" })))
    expect(fault).toMatchObject({ failure: { _tag: "ProcessTableError", reason: { _tag: "UnknownId" } } })
  })))
