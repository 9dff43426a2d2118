/** An agent whose files are on this machine, and whose commands run in a container that mounts their folder. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect } from "vitest"
import { LocalShell, Shell, type ShellExec } from "@sluice/shell"
import { Agent } from "@sluice/shell/agent"
import { LocalFileSystem } from "@sluice/shell/files"
import { ProcessTable, Spellbook } from "@sluice/shell/spell"
import { MockModel } from "@sluice/shell/testing"
import { workshop } from "../support/workshop.ts"

// crun and the system's own limits do not do in a container of their own, such as that of a CI.
const limits = ["nofile", "nproc"].flatMap((name) => ["--ulimit", `${name}=4096:4096`])
const podman = ["--runtime", "runc", "run", "--rm", "--network", "none", "--read-only", ...limits]

const image = mkdtempSync(join(tmpdir(), "sluice-rootfs-"))
afterAll(() => rmSync(image, { recursive: true, force: true }))

const busybox = spawnSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).stdout?.trim() ?? ""

/** Makes the file system of the containers; answers whether this system can start one. */
const canRun = (): boolean => {
  if (process.platform !== "linux" || busybox === "") return false
  for (const folder of ["bin", "work"]) mkdirSync(join(image, folder))
  cpSync(busybox, join(image, "bin/busybox"))
  for (const name of ["sh", "cat", "true", "touch"]) symlinkSync("busybox", join(image, "bin", name))
  return spawnSync("podman", [...podman, "--rootfs", image, "true"]).status === 0
}

/** The shell of this machine, with each command in a container of its own that has a folder at `/work`. */
const inContainers = (folder: string): Layer.Layer<Shell> =>
  Layer.effect(
    Shell,
    Effect.map(Shell, (shell) => {
      const wrap = (exec: ShellExec): ShellExec => {
        const program = exec.useShell ? ["sh", "-c", exec.command] : [exec.command]
        const where = ["--volume", `${folder}:/work`, "--workdir", exec.workingDirectory ?? "/work"]
        // Only the names: podman takes the values from its own environment, so that no list of processes shows them.
        const variables = Object.keys(exec.environment ?? {}).flatMap((name) => ["--env", name])
        return {
          ...exec,
          command: "podman",
          arguments: [
            ...podman,
            ...where,
            ...variables,
            "--interactive",
            "--rootfs",
            image,
            ...program,
            ...exec.arguments,
          ],
          useShell: false,
        }
      }
      return {
        capabilities: shell.capabilities,
        exec: (exec, options) => shell.exec(wrap(exec), options),
        bytes: (exec, options) => shell.bytes(wrap(exec), options),
      }
    }),
  ).pipe(Layer.provide(LocalShell.layer))

const sh = (script: string) => ({ name: "run_command", arguments: { command: "sh", arguments: ["-c", script] } })

it.live.skipIf(!canRun())("reads and writes files here, and runs commands there", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.write("repository/add.sh", "echo $(($1 - $2))\n")
    const root = shop.path("repository")
    const edits = [{ oldText: "-", newText: "+" }]
    const model = MockModel.layer([
      MockModel.turn({ calls: [{ name: "edit_file", arguments: { path: "add.sh", edits } }] }),
      MockModel.turn({ calls: [sh("sh add.sh 2 3 > sum; cat sum; pwd")] }),
      MockModel.turn({
        calls: [sh("touch /bin/evil; cat /etc/passwd")],
        expect: ({ results }) => JSON.stringify(results.at(-1)?.result).includes("5\\n/work\\n"),
      }),
      MockModel.turn({
        text: "done",
        expect: ({ results }) =>
          /Read-only file system.*can't open '\/etc\/passwd'/.test(JSON.stringify(results.at(-1))),
      }),
    ])
    const book = Spellbook.standard
    const program = Effect.gen(function* () {
      const services = yield* Agent.services(book)
      yield* Stream.runDrain(Agent.run(services, { task: "Mend it.", tools: [...book.spells.keys()] }))
      yield* MockModel.verify
    })
    const leaves = Layer.mergeAll(LocalFileSystem.layer({ rootPath: root }), inContainers(root), ProcessTable.layer)
    yield* Effect.provide(program, Layer.merge(leaves, model))
    expect(shop.read("repository/sum")).toBe("5\n")
  }).pipe(Effect.scoped))
