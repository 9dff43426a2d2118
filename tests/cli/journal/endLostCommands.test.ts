import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { endLostCommands } from "../../../src/cli/journal/endLostCommands.ts"
import { ShellFault } from "../../../src/command/ShellFault.ts"
import { commandById } from "../../../src/history/findCommand.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { Shell } from "../../../src/shell/Shell.ts"
import { ask, deadHost, exit, onJournal, take } from "../../history/support.ts"

it.effect("ends each lost command, also where one cannot be cleaned up and another process ends one first", () =>
  onJournal(Effect.gen(function* () {
    const journal = yield* Journal
    const graces = new Map<string, unknown>()
    for (const id of ["last", "conflict", "fault"]) {
      yield* ask(id, ["sleep", "9"], { grace: "3 seconds" })
      yield* take(id, { host: yield* deadHost })
    }
    const shell = Shell.make({
      capabilities: { leaf: "test" },
      bytes: () => Stream.never,
      exec: () => Stream.never,
      endOrphans: (commandId, { grace } = {}) => {
        graces.set(commandId, grace)
        if (commandId === "fault") {
          return Effect.fail(ShellFault.because(commandId, { _tag: "Unknown", code: "EIO" }, "no process table"))
        }
        const report = { ended: 1, pids: [7], survivors: [] }
        if (commandId !== "conflict") return Effect.succeed(report)
        return Effect.as(Effect.orDie(Effect.provideService(exit(commandId, 5), Journal, journal)), report)
      },
    })
    yield* endLostCommands(shell, journal)
    expect(graces).toEqual(new Map(["fault", "conflict", "last"].map((id) => [id, Duration.seconds(3)])))
    const states = yield* Effect.forEach(
      ["fault", "conflict", "last"],
      (id) => Effect.map(commandById(id), (record) => record?.state._tag),
    )
    expect(states).toEqual(["Faulted", "Exited", "Faulted"])
  })))
