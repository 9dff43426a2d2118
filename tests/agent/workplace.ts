/** A folder in a sandbox with a wrong program and a test of it, a book of spells, and the turns of a model that mends it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Agent from "../../src/agent/Agent.ts"
import type { AgentEvent } from "../../src/agent/AgentEvent.ts"
import { layer as journaledShell } from "../../src/compute/JournaledShell.ts"
import { Files, JournaledFileSystem, KernelFileSystem } from "../../src/leaves/files/mod.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import type { MockTurn } from "../../src/leaves/mock/MockModel.ts"
import { Sandbox } from "../../src/sandbox/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { editFile, readFile, runCommand, Spellbook } from "../../src/spell/mod.ts"

export const book = Spellbook.make(readFile, editFile, runCommand)

const runTest = { name: "run_command", arguments: { command: "sh", arguments: ["test.sh"], cwd: "/work" } }

/** It looks, misspells a tool, edits, and looks again. */
export const script: ReadonlyArray<MockTurn> = [
  {
    text: "I look first.",
    calls: [{ name: "read_file", arguments: { path: "add.sh" } }, runTest],
    usage: { inputTokens: 10, outputTokens: 2 },
  },
  { calls: [{ name: "edit_fil", arguments: { path: "add.sh" } }], usage: { inputTokens: 10, outputTokens: 2 } },
  {
    calls: [{
      name: "edit_file",
      arguments: { path: "add.sh", edits: [{ oldText: "$1 - $2", newText: "$1 + $2" }] },
    }],
    expect: ({ results }) => results.at(-1)?.isFailure === true,
    usage: { inputTokens: 10, outputTokens: 2 },
  },
  { calls: [runTest], usage: { inputTokens: 10, outputTokens: 2 } },
  { text: "The test passes.", usage: { inputTokens: 10, outputTokens: 2 } },
]

/** A folder with a wrong program and a test of it. */
export const workplace: Layer.Layer<Files | Shell> = Layer.orDie(Layer.effectContext(Effect.gen(function* () {
  const sandbox = yield* Sandbox.make()
  yield* sandbox.run(
    "mkdir /work && cd /work && echo 'echo $(($1 - $2))' > add.sh && echo '[ \"$(sh add.sh 2 3)\" = 5 ]' > test.sh",
  )
  const files = yield* KernelFileSystem.make(sandbox, { rootPath: "/work" })
  return yield* Effect.context<Files | Shell>().pipe(
    Effect.provideService(Files, files),
    Effect.provideServiceEffect(Shell, KernelShell.make(sandbox)),
  )
})))

export const journaledWorkplace = Layer.merge(JournaledFileSystem.layer, journaledShell).pipe(Layer.provide(workplace))

export const options: Agent.AgentOptions = { id: "run-1", task: "fix the failing test", tools: [...book.spells.keys()] }

/** An event in a line; none for pieces of text. */
export const brief = (event: AgentEvent): ReadonlyArray<string> => {
  switch (event._tag) {
    case "ModelDelta":
    case "AgentToolCall":
      return []
    case "AgentToolCallResult":
      return [`${event.name} ${event.isFailure ? "failed" : "done"}`]
    case "AgentEnd":
      return [`${event.because} after ${event.turns}: ${event.text}`]
    default:
      return [event._tag]
  }
}
