/** Runs the attempts behind the walls of an engine, or without any, and writes their output into a file. */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { Shell, ShellExec } from "../../../../mod.ts"
import { IsolatedShell } from "../../../../src/leaves/isolated/mod.ts"
import { allAttempts } from "./cases.ts"

const [engine = "", answer = "", variables = "{}"] = process.argv.slice(2)
const env: Readonly<Record<string, string>> = JSON.parse(variables)
const folder = (name: string): string => env[name] ?? ""

const inTheOpen = (): string => {
  const { stdout } = spawnSync("/bin/sh", ["-c", `exec 2>&1\n${allAttempts}`], {
    cwd: folder("IN"),
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, ...env },
  })
  return stdout
}

const behind = (engine: IsolatedShell.IsolationEngine): Promise<string> =>
  Shell.run(ShellExec.shell(allAttempts, { mergeStreams: true, timeout: "60 seconds" })).pipe(
    Effect.map(({ stdout }) => stdout),
    Effect.provide(IsolatedShell.layerWith({
      engine,
      writable: [folder("IN")],
      readable: [folder("SEEN")],
      protected: ["app/file"],
      tmp: { maxBytes: 8_000_000 },
      // The kernel does not count the processes of root.
      limits: {
        memoryBytes: 300_000_000,
        fileSizeBytes: 10_000_000,
        ...process.getuid?.() !== 0 && { processes: 100 },
      },
      env,
    })),
    Effect.runPromise,
  )

writeFileSync(answer, engine === "bwrap" || engine === "unshare" ? await behind(engine) : inTheOpen())
