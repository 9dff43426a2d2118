import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { draftEvent, draftRequest } from "../../src/branch/BranchDefinition.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { ComputeBranch } from "../../src/compute/ComputeBranch.ts"
import { playEvents } from "../../src/http/commandEvents.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { output } from "./support.ts"

it.effect("ends with the run, though another request of its id stands in the same page of entries", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const exec = ShellExec.make("echo")
    const { commandId } = exec
    const { stderr: _, stdout: __, ...end } = output(commandId)
    const request = draftRequest(ComputeBranch, exec)
    yield* journal.append([request, draftEvent(ComputeBranch, end), request])
    const record = { attempts: [], commandId, endPosition: undefined, exec, position: 1 }
    const events = yield* Stream.runCollect(playEvents(journal, record))
    expect(events.map(({ event, id }) => [id, event._tag])).toEqual([[0, "ShellOutput"]])
  }).pipe(Effect.provide(MemoryJournal.layer)))
