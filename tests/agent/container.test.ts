/** An agent whose files are on this machine, and whose commands run in a container that mounts their folder. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { afterAll, expect } from "vitest"
import { Agent } from "@sluice/shell/agent"
import { ContainerShell } from "@sluice/shell/container"
import { LocalFileSystem } from "@sluice/shell/files"
import { ProcessTable, Spellbook } from "@sluice/shell/spell"
import { MockModel } from "@sluice/shell/testing"
import { engineOptions, makeRootfs } from "../support/rootfs.ts"
import { workshop } from "../support/workshop.ts"

const rootfs = makeRootfs()
afterAll(() => rootfs.remove())

const sh = (script: string) => ({ name: "run_command", arguments: { command: "sh", arguments: ["-c", script] } })

it.live.skipIf(!rootfs.canRun)("reads and writes files here, and runs commands there", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("repository/add.sh", "echo $(($1 - $2))\n")
    const root = shop.path("repository")
    const edits = [{ oldText: "-", newText: "+" }]
    const model = MockModel.layer([
      MockModel.turn({ calls: [{ name: "edit_file", arguments: { path: "add.sh", edits } }] }),
      MockModel.turn({ calls: [sh("sh add.sh 2 3 > sum; cat sum; pwd")] }),
      MockModel.turn({
        calls: [sh("touch /bin/evil; cat /etc/shadow")],
        expect: ({ results }) => JSON.stringify(results.at(-1)?.result).includes("5\\n/work\\n"),
      }),
      MockModel.turn({
        text: "done",
        expect: ({ results }) =>
          /Read-only file system.*can't open '\/etc\/shadow'/.test(JSON.stringify(results.at(-1))),
      }),
    ])
    const book = Spellbook.standard
    const program = Effect.gen(function* () {
      const services = yield* Agent.services(book)
      yield* Stream.runDrain(Agent.run(services, { task: "Mend it.", tools: [...book.spells.keys()] }))
      yield* MockModel.verify
    })
    const commands = ContainerShell.layer({
      ...engineOptions,
      rootfs: rootfs.path,
      mounts: [{ source: root, target: "/work" }],
      cwd: "/work",
      readOnly: true,
    })
    const leaves = Layer.mergeAll(LocalFileSystem.layer({ rootPath: root }), commands, ProcessTable.layer)
    yield* Effect.provide(program, Layer.merge(leaves, model))
    expect(shop.read("repository/sum")).toBe("5\n")
  }).pipe(Effect.scoped))
